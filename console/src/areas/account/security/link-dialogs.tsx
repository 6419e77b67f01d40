import type { Reply } from '@latchkey/client'
import { useApiMutation } from '../../../api/use-api.ts'
import { security } from '../../../text/security.ts'
import { showSuccess } from '../../../ui/notifications.tsx'
import { inlineErrors, toPasswordField } from '../form-options.ts'
import { ReauthenticationDialog } from '../reauthentication-form.tsx'

const { links: text } = security

export type Link = Reply<'GET /api/users/me/sso'>['links'][number]

export interface Provider {
  name: string
  label: string
  /** Undefined if no account of the provider is linked. */
  link: Link | undefined
}

interface DialogProps {
  provider: Provider
  opened: boolean
  close: () => void
}

/** Redirects to the provider to link an account. */
export function LinkDialog({ provider: { name, label }, opened, close }: DialogProps) {
  const startLinking = useApiMutation('POST /api/users/me/sso/link', inlineErrors)
  return (
    <ReauthenticationDialog
      title={text.linkTitle(label)}
      opened={opened}
      text={text.linkText(label)}
      action={text.go(label)}
      passwordPrompt="when-old"
      onCancel={close}
      submit={async (password) => {
        const { origin, pathname } = window.location
        const redirectUri = origin + pathname
        const { url } = await startLinking.mutateAsync({
          body: { provider: name, redirectUri, ...toPasswordField(password) },
        })
        window.location.assign(url)
      }}
    />
  )
}

export function UnlinkDialog({ provider: { name, label }, opened, close }: DialogProps) {
  const unlink = useApiMutation('DELETE /api/users/me/sso/{provider}', {
    ...inlineErrors,
    invalidates: ['GET /api/users/me/sso'],
  })
  return (
    <ReauthenticationDialog
      title={text.unlinkTitle(label)}
      opened={opened}
      text={text.unlinkText(label)}
      action={text.unlink}
      isDestructive
      passwordPrompt="never"
      onCancel={close}
      submit={async () => {
        await unlink.mutateAsync({ path: { provider: name } })
        showSuccess(text.unlinked(label))
        close()
      }}
    />
  )
}
