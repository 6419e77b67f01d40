import { Radio, Stack, Text } from '@mantine/core'
import { useApiMutation } from '../../../api/use-api.ts'
import { settings } from '../../../text/settings.ts'
import { useConfirm } from '../../../ui/confirm.tsx'
import { showSuccess } from '../../../ui/notifications.tsx'
import { Section } from '../../../ui/section.tsx'
import { useTenant } from '../tenant.ts'
import type { Tenant } from './general.tsx'

const text = settings.mfa
const POLICIES = ['OPTIONAL', 'REQUIRED'] as const

/** The second-factor policy of the tenant. Members cannot edit it. */
export function MfaSection({ tenant: { id, mfaPolicy } }: { tenant: Tenant }) {
  const { canManage } = useTenant()
  const [dialog, ask] = useConfirm()
  const change = useApiMutation('PATCH /api/tenants/{id}', {
    invalidates: ['GET /api/tenants/{id}'],
    onSuccess: ({ mfaPolicy: policy }) => {
      showSuccess(text.saved)
      // The new policy also applies to this session, and the reload leads to the second-factor prompt.
      if (policy === 'REQUIRED') window.location.reload()
    },
  })
  const choose = (policy: string) => {
    const newPolicy = POLICIES.find((candidate) => candidate === policy)
    if (!newPolicy || newPolicy === mfaPolicy) return
    const question = newPolicy === 'REQUIRED' ? { ...text.require, isDestructive: false } : text.relax
    ask(question, () => change.mutateAsync({ path: { id }, body: { mfaPolicy: newPolicy } }))
  }
  return (
    <Section title={text.title} lead={text.lead}>
      {canManage ? (
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
