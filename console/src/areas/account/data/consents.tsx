import type { Reply } from '@latchkey/client'
import { Button, Group, Stack } from '@mantine/core'
import { useApiMutation, useApiQuery } from '../../../api/use-api.ts'
import { ownData } from '../../../text/own-data.ts'
import { ApplicationLogo } from '../../../ui/application-logo.tsx'
import { useConfirm } from '../../../ui/confirm.tsx'
import { showSuccess } from '../../../ui/notifications.tsx'
import { Section } from '../../../ui/section.tsx'
import { EmptyState, QueryContent } from '../../../ui/states.tsx'
import { SettingRow } from '../security/setting-row.tsx'

const LIST = 'GET /api/users/me/consents'
type Consent = Reply<typeof LIST>['consents'][number]

const { consents: text } = ownData

/** What the user has allowed third-party applications. */
export function ConsentsSection() {
  const query = useApiQuery(LIST, { input: {} })
  const [dialog, ask] = useConfirm()
  const withdraw = useApiMutation('DELETE /api/users/me/consents/{applicationId}', { invalidates: [LIST] })
  const confirmWithdrawal = ({ applicationId, applicationName }: Consent) =>
    ask({ title: text.withdrawTitle, text: text.withdrawText(applicationName), action: text.withdraw }, async () => {
      await withdraw.mutateAsync({ path: { applicationId } })
      showSuccess(text.withdrawn(applicationName))
    })
  return (
    <Section title={text.title} lead={text.lead}>
      {dialog}
      <QueryContent query={query} skeletonRows={1} skeletonHeight={56}>
        {({ consents }) =>
          consents.length === 0 ? (
            <EmptyState icon="grid" title={text.empty} text={text.emptyText} />
          ) : (
            <Stack component="ul" gap="md" p={0} m={0} aria-label={text.title} style={{ listStyle: 'none' }}>
              {consents.map((consent) => (
                <ConsentRow
                  key={`${consent.applicationId} ${consent.tenantId}`}
                  consent={consent}
                  withdraw={() => confirmWithdrawal(consent)}
                />
              ))}
            </Stack>
          )
        }
      </QueryContent>
    </Section>
  )
}

const ConsentRow = ({ consent, withdraw }: { consent: Consent; withdraw: () => void }) => (
  <Group component="li" wrap="nowrap" align="flex-start">
    <ApplicationLogo url={consent.logoUrl} name={consent.applicationName} />
    <SettingRow
      component="div"
      title={consent.applicationName}
      text={[consent.tenantName, consent.scopes.join(', ')].filter(Boolean).join(' · ')}
      action={
        <Button variant="default" onClick={withdraw} aria-label={text.withdrawLabel(consent.applicationName)}>
          {text.withdraw}
        </Button>
      }
    />
  </Group>
)
