import { Button, Group, Paper, Stack } from '@mantine/core'
import { guide as text } from '../../../text/guide.ts'
import { Page } from '../../../ui/page.tsx'
import { ErrorAlert } from '../../../ui/states.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { AccessStep, AddressesStep } from './guide/addresses-step.tsx'
import { DoneStep } from './guide/done-step.tsx'
import { LibraryStep } from './guide/library-step.tsx'
import { NameStep } from './guide/name-step.tsx'
import { Steps } from './guide/steps.tsx'
import { useGuide } from './guide/use-guide.ts'

const LAST_STEP = 2

/** A guide that creates an application with its first client. */
export function NewApplicationPage() {
  const guide = useGuide()
  const form = useSubmit(() => guide.goNext())
  const isMachine = guide.draft.kind === 'MACHINE'
  const steps = text.steps.map((name, index) => (index === LAST_STEP && isMachine ? text.machineStep : name))
  const stepProps = { draft: guide.draft, change: guide.change, fieldErrors: form.fieldErrors }
  const goBack = () => {
    form.clear()
    guide.goBack()
  }
  return (
    <Page title={text.title} lead={text.lead}>
      <Steps steps={steps} current={guide.step} />
      {guide.created ? (
        <DoneStep name={guide.name} connection={guide.created} restart={guide.restart} />
      ) : (
        <Paper component="section" p={{ base: 'md', sm: 'xl' }} maw={680}>
          <form onSubmit={form.onSubmit}>
            <Stack>
              {form.generalError !== undefined && <ErrorAlert error={form.generalError} />}
              {guide.step === 0 && (
                <NameStep name={guide.name} onChange={guide.setName} error={form.fieldErrors.name} />
              )}
              {guide.step === 1 && <LibraryStep {...stepProps} />}
              {guide.step === LAST_STEP &&
                (isMachine ? <AccessStep {...stepProps} /> : <AddressesStep {...stepProps} />)}
              <Group justify="space-between" mt="sm">
                {guide.step > 0 ? (
                  <Button variant="default" onClick={goBack}>
                    {text.back}
                  </Button>
                ) : (
                  <span />
                )}
                <Button type="submit" loading={form.busy}>
                  {guide.step === LAST_STEP ? text.create : text.next}
                </Button>
              </Group>
            </Stack>
          </form>
        </Paper>
      )}
    </Page>
  )
}
