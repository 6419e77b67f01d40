import { SimpleGrid, Stack, Tabs, Text } from '@mantine/core'
import { clients } from '../../../../text/clients.ts'
import { guide } from '../../../../text/guide.ts'
import { type Snippet, snippetsOf } from '../../../../text/snippets.ts'
import { CodeBlock } from '../../../../ui/code-block.tsx'
import { Copyable } from '../../../../ui/copy.tsx'
import { OneTimeSecret } from '../../../../ui/one-time-secret.tsx'
import type { Connection } from './connection.ts'

const text = guide.done

/** Issuer, client id, a new secret if known, and code samples. */
export function HowToConnect({ client, clientSecret }: Connection) {
  const issuer = window.location.origin
  const snippets = snippetsOf[client.kind]({
    issuer,
    clientSecret,
    clientId: client.clientId,
    applicationId: client.applicationId,
    redirectUri: client.redirectUris[0],
    postLogoutUri: client.postLogoutRedirectUris[0],
    ofTenant: client.tenantId !== null,
  })
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Value label={text.issuer} value={issuer} copy={text.copyIssuer} />
        <Value label={text.clientId} value={client.clientId} copy={text.copyClientId} />
      </SimpleGrid>
      {clientSecret !== undefined && (
        <OneTimeSecret label={clients.secrets.label} value={clientSecret} copy={clients.secrets.copy} />
      )}
      <Snippets snippets={snippets} />
    </Stack>
  )
}

const Value = ({ label, value, copy }: { label: string; value: string; copy: string }) => (
  <div>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    <Copyable value={value} label={copy} />
  </div>
)

function Snippets({ snippets }: { snippets: Snippet[] }) {
  const [only, other] = snippets
  if (only === undefined) return null
  if (other === undefined) return <OneSnippet snippet={only} />
  return (
    <Tabs defaultValue={only.file} keepMounted={false}>
      <Tabs.List mb="sm" aria-label={text.code}>
        {snippets.map(({ file, tool }) => (
          <Tabs.Tab key={file} value={file}>
            {tool}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map((snippet) => (
        <Tabs.Panel key={snippet.file} value={snippet.file}>
          <OneSnippet snippet={snippet} />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

const OneSnippet = ({ snippet: { file, code, run, next } }: { snippet: Snippet }) => (
  <Stack gap="xs">
    <CodeBlock title={file} code={code} copy={text.copyFile(file)} />
    <CodeBlock title={text.run} code={run} copy={text.copyRun} />
    <Text size="sm">{next}</Text>
  </Stack>
)
