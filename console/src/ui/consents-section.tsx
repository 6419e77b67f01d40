import type { Reply } from '@latchkey/client'
import { Button, Group, Stack, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { describeConsent, type ownConsents } from '../text/consents.ts'
import { ApplicationLogo } from './application-logo.tsx'
import { useConfirm } from './confirm.tsx'
import { showSuccess } from './notifications.tsx'
import { Section } from './section.tsx'
import { EmptyState, QueryContent } from './states.tsx'
import { RelativeTime } from './time.tsx'

type Consents = Reply<'GET /api/users/me/consents'>
export type Consent = Consents['consents'][number]

/** The query of the tenant of a consent, for its withdrawal. */
export const toTenantQuery = ({ tenantId }: Consent) => ({ tenantId: tenantId ?? 'none' })

interface ConsentsSectionProps {
  text: typeof ownConsents
  query: UseQueryResult<Consents>
  withdraw: (consent: Consent) => Promise<unknown>
}

/** What a person has allowed third-party applications, with a button to withdraw each. */
export function ConsentsSection({ text, query, withdraw }: ConsentsSectionProps) {
  const [dialog, ask] = useConfirm()
  const confirm = (consent: Consent) => {
    const { applicationName, tenantName } = consent
    const question = {
      title: text.withdrawTitle,
      text: text.withdrawText(applicationName, tenantName),
      action: text.withdraw,
    }
    ask(question, async () => {
      await withdraw(consent)
      showSuccess(text.withdrawn(applicationName, tenantName))
    })
  }
  return (
    <Section title={text.title} lead={text.lead}>
      {dialog}
      <QueryContent query={query} skeletonRows={1} skeletonHeight={72}>
        {({ consents }) =>
          consents.length === 0 ? (
            <EmptyState icon="grid" title={text.empty} text={text.emptyText} />
          ) : (
            <Stack component="ul" gap="lg" p={0} m={0} aria-label={text.title} style={{ listStyle: 'none' }}>
              {consents.map((consent) => (
                <ConsentRow
                  key={`${consent.applicationId} ${consent.tenantId}`}
                  text={text}
                  consent={consent}
                  onWithdraw={() => confirm(consent)}
                />
              ))}
            </Stack>
          )
        }
      </QueryContent>
    </Section>
  )
}

interface ConsentRowProps {
  text: typeof ownConsents
  consent: Consent
  onWithdraw: () => void
}

const ConsentRow = ({ text, consent, onWithdraw }: ConsentRowProps) => {
  const { applicationName, tenantName, logoUrl, scopes, grantedAt, lastUsedAt } = consent
  return (
    <Group component="li" wrap="nowrap" align="flex-start">
      <ApplicationLogo url={logoUrl} name={applicationName} />
      <Group justify="space-between" align="flex-start" gap="sm" flex={1} miw={0}>
        <div style={{ flex: '1 1 220px', minWidth: 0, overflowWrap: 'anywhere' }}>
          <Text fw={600}>{applicationName}</Text>
          <Text size="sm">
            {tenantName !== null && `${tenantName} · `}
            {text.allowed(<RelativeTime at={grantedAt} />)}
            {' · '}
            {lastUsedAt === null ? text.unused : text.lastUsed(<RelativeTime at={lastUsedAt} />)}
          </Text>
          <Text component="ul" size="sm" c="dimmed" m={0} mt={4} ps="md">
            {describeConsent(scopes).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </Text>
        </div>
        <Button variant="default" onClick={onWithdraw} aria-label={text.withdrawLabel(applicationName, tenantName)}>
          {text.withdraw}
        </Button>
      </Group>
    </Group>
  )
}
