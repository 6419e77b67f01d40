import { Button, Group, Paper, Stack } from '@mantine/core'
import { guide as text } from '../../../text/guide.ts'
import { useForm } from '../../../ui/form-dialog.tsx'
import { Page } from '../../../ui/page.tsx'
import { Problem } from '../../../ui/states.tsx'
import { AccessStep, AddressesStep } from './guide/addresses-step.tsx'
import { DoneStep } from './guide/done-step.tsx'
import { KindStep } from './guide/kind-step.tsx'
import { NameStep } from './guide/name-step.tsx'
import { Steps } from './guide/steps.tsx'
import { useGuide } from './guide/use-guide.ts'

const LAST_QUESTION = 2

/** Leads from a name to a client id and code that runs. */
export function NewApplicationPlace() {
  const guide = useGuide()
  const form = useForm(() => guide.goOn())
  const isMachine = guide.draft.kind === 'MACHINE'
  const steps = text.steps.map((name, index) =>
    index === LAST_QUESTION && isMachine ? text.machineStep : name,
  )
  const answers = { draft: guide.draft, change: guide.change, fields: form.fields }
  const goBack = () => {
    form.clear()
    guide.goBack()
  }
  return (
    <Page title={text.title} lead={text.lead}>
      <Steps steps={steps} current={guide.step} />
      {guide.made ? (
        <DoneStep name={guide.name} connection={guide.made} startAnew={guide.startAnew} />
      ) : (
        <Paper component="section" p={{ base: 'md', sm: 'xl' }} maw={680}>
          <form onSubmit={form.onSubmit}>
            <Stack>
              {form.general !== undefined && <Problem error={form.general} />}
              {guide.step === 0 && (
                <NameStep name={guide.name} onChange={guide.setName} error={form.fields.name} />
              )}
              {guide.step === 1 && <KindStep {...answers} />}
              {guide.step === LAST_QUESTION &&
                (isMachine ? <AccessStep {...answers} /> : <AddressesStep {...answers} />)}
              <Group justify="space-between" mt="sm">
                {guide.step > 0 ? (
                  <Button variant="default" onClick={goBack}>
                    {text.back}
                  </Button>
                ) : (
                  <span />
                )}
                <Button type="submit" loading={form.busy}>
                  {guide.step === LAST_QUESTION ? text.create : text.next}
                </Button>
              </Group>
            </Stack>
          </form>
        </Paper>
      )}
    </Page>
  )
}
