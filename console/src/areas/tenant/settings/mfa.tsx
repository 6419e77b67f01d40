import { Radio, Stack, Text } from '@mantine/core'
import { useChange } from '../../../api/use-api.ts'
import { settings } from '../../../text/settings.ts'
import { useConfirm } from '../../../ui/confirm.tsx'
import { showDone } from '../../../ui/notices.tsx'
import { Section } from '../../../ui/section.tsx'
import { useTenant } from '../tenant.ts'
import type { Tenant } from './general.tsx'

const text = settings.mfa
const POLICIES = ['OPTIONAL', 'REQUIRED'] as const

/** Whether a password alone is enough; for members to read. */
export function MfaSection({ tenant: { id, mfaPolicy } }: { tenant: Tenant }) {
  const { runs } = useTenant()
  const [dialog, ask] = useConfirm()
  const change = useChange('PATCH /api/tenants/{id}', {
    refreshes: ['GET /api/tenants/{id}'],
    onDone: ({ mfaPolicy: policy }) => {
      showDone(text.saved)
      // Whoever signed in without a second factor, oneself too, must show one: the sign-in page asks for it.
      if (policy === 'REQUIRED') window.location.reload()
    },
  })
  const choose = (policy: string) => {
    const wanted = POLICIES.find((known) => known === policy)
    if (!wanted || wanted === mfaPolicy) return
    const question = wanted === 'REQUIRED' ? { ...text.require, hurts: false } : text.relax
    ask(question, () => change.mutateAsync({ path: { id }, body: { mfaPolicy: wanted } }))
  }
  return (
    <Section title={text.title} lead={text.lead}>
      {runs ? (
        <Radio.Group aria-label={text.title} value={mfaPolicy} onChange={choose}>
          <Stack gap="sm">
            {POLICIES.map((policy) => (
              <Radio key={policy} value={policy} label={text[policy]} description={text[`${policy}_what`]} />
            ))}
          </Stack>
        </Radio.Group>
      ) : (
        <div>
          <Text size="sm" fw={600}>
            {text[mfaPolicy]}
          </Text>
          <Text size="sm" c="dimmed">
            {text[`${mfaPolicy}_what`]}
          </Text>
        </div>
      )}
      {dialog}
    </Section>
  )
}
