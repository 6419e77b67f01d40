import { SimpleGrid, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { clients } from '../../../../text/clients.ts'
import { guide } from '../../../../text/guide.ts'
import { findLibrary } from '../../../../text/libraries/libraries.ts'
import type { Library } from '../../../../text/libraries/library.ts'
import type { Snippet, SnippetFile } from '../../../../text/snippets/values.ts'
import { CodeBlock } from '../../../../ui/code-block.tsx'
import { Copyable } from '../../../../ui/copy.tsx'
import { OneTimeSecret } from '../../../../ui/one-time-secret.tsx'
import type { Connection } from './connection.ts'
import { LibraryAdvice, WrongKind } from './library-advice.tsx'
import { fitsKind, guessLibrary, redirectUriFor } from './library-choice.ts'
import { LibrarySelect } from './library-select.tsx'

const text = guide.done

/** Issuer, client id, a new secret if known, and the code for a library. */
export function HowToConnect({ client: initialClient, clientSecret, libraryId }: Connection) {
  const [client, setClient] = useState(initialClient)
  const [chosenId, choose] = useState(libraryId ?? guessLibrary(initialClient)?.id ?? null)
  const library = findLibrary(chosenId)
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Value label={text.issuer} value={window.location.origin} copy={text.copyIssuer} />
        <Value label={text.clientId} value={client.clientId} copy={text.copyClientId} />
      </SimpleGrid>
      {clientSecret !== undefined && (
        <OneTimeSecret label={clients.secrets.label} value={clientSecret} copy={clients.secrets.copy} />
      )}
      <LibrarySelect value={chosenId} onChange={choose} />
      {library &&
        (fitsKind(library, client.kind) ? (
          <>
            <LibraryAdvice library={library} client={client} onChanged={setClient} />
            <LibrarySnippet snippet={snippetOf(library, { client, clientSecret })} />
          </>
        ) : (
          <WrongKind library={library} client={client} />
        ))}
    </Stack>
  )
}

const snippetOf = (library: Library, { client, clientSecret }: Connection): Snippet =>
  library.snippet({
    issuer: window.location.origin,
    clientSecret,
    clientId: client.clientId,
    applicationId: client.applicationId,
    redirectUri: redirectUriFor(library, client.redirectUris).uri,
    postLogoutUri: client.postLogoutRedirectUris[0],
    ofTenant: client.tenantId !== null,
  })

const Value = ({ label, value, copy }: { label: string; value: string; copy: string }) => (
  <div>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    <Copyable value={value} label={copy} />
  </div>
)

const isAbsolute = (files: SnippetFile[]) => files.some(({ name }) => name.startsWith('/'))

const LibrarySnippet = ({ snippet: { files, run, next } }: { snippet: Snippet }) => (
  <Stack gap="xs">
    {files.map(({ name, code }) => (
      <CodeBlock key={name} title={name} code={code} copy={text.copyFile(name)} />
    ))}
    {run !== undefined && (
      <CodeBlock title={isAbsolute(files) ? text.runAnywhere : text.run} code={run} copy={text.copyRun} />
    )}
    <Text size="sm">{next}</Text>
  </Stack>
)
