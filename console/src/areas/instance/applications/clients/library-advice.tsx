import type { Input } from '@latchkey/client'
import { Alert, Button, Stack, Text } from '@mantine/core'
import { useApiMutation } from '../../../../api/use-api.ts'
import { clients } from '../../../../text/clients.ts'
import { guide } from '../../../../text/guide.ts'
import { sendsNonce } from '../../../../text/libraries/libraries.ts'
import type { Library } from '../../../../text/libraries/library.ts'
import { Icon } from '../../../../ui/icon.tsx'
import { showSuccess } from '../../../../ui/notifications.tsx'
import type { Client } from './client-draft.ts'
import { redirectUriFor } from './library-choice.ts'

const text = guide.library

type Changes = NonNullable<Input<'PATCH /api/admin/clients/{id}'>['body']>

interface LibraryAdviceProps {
  library: Library
  client: Client
  onChanged: (client: Client) => void
}

/** The library cannot use the client, because the kind of a client is permanent. */
export const WrongKind = ({ library, client }: { library: Library; client: Client }) => (
  <Alert color="orange" icon={<Icon name="warning" />} title={text.wrongKind.title(library)}>
    {text.wrongKind.text(library, clients.kinds[library.kind].label, clients.kinds[client.kind].label)}
  </Alert>
)

/** Offers to change the settings that do not fit the library. Nothing changes without a click. */
export function LibraryAdvice({ library, client, onChanged }: LibraryAdviceProps) {
  const change = useApiMutation('PATCH /api/admin/clients/{id}', { invalidates: ['GET /api/admin/clients'] })
  if (client.kind === 'MACHINE') return null
  const offer = (changes: Changes, done: string) => ({
    busy: change.isPending,
    onAccept: () =>
      change.mutate(
        { path: { id: client.id }, body: changes },
        {
          onSuccess: (changed) => {
            onChanged(changed)
            showSuccess(done)
          },
        },
      ),
  })
  const { nonceRequired, nonceOptional, redirectMissing } = text
  const { uri, isRegistered } = redirectUriFor(library, client.redirectUris)
  return (
    <>
      {library.nonce === 'never' && client.requireNonce && (
        <Advice
          {...offer({ requireNonce: false }, nonceRequired.done)}
          color="orange"
          title={nonceRequired.title}
          text={nonceRequired.text(library)}
          action={nonceRequired.action}
        />
      )}
      {sendsNonce(library) && !client.requireNonce && (
        <Advice
          {...offer({ requireNonce: true }, nonceOptional.done)}
          color="blue"
          title={nonceOptional.title}
          text={nonceOptional.text(library)}
          action={nonceOptional.action}
        />
      )}
      {!isRegistered && (
        <Advice
          {...offer({ redirectUris: [...client.redirectUris, uri] }, redirectMissing.done)}
          color="orange"
          title={redirectMissing.title}
          text={redirectMissing.text(library, uri)}
          action={redirectMissing.action}
        />
      )}
    </>
  )
}

interface AdviceProps {
  color: string
  title: string
  text: string
  action: string
  busy: boolean
  onAccept: () => void
}

const Advice = ({ color, title, text: explanation, action, busy, onAccept }: AdviceProps) => (
  <Alert color={color} icon={<Icon name="warning" />} title={title}>
    <Stack gap="sm" align="flex-start">
      <Text size="sm">{explanation}</Text>
      <Button size="compact-sm" variant="default" loading={busy} onClick={onAccept}>
        {action}
      </Button>
    </Stack>
  </Alert>
)
