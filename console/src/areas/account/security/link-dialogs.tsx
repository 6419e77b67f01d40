import type { Reply } from 'latchkey-sdk'
import { useChange } from '../../../api/use-api.ts'
import { security } from '../../../text/security.ts'
import { showDone } from '../../../ui/notices.tsx'
import { ConfirmedDialog } from '../confirmed-form.tsx'
import { shownInForm, withPassword } from '../inline.ts'

const { links: text } = security

export type Link = Reply<'GET /api/users/me/sso'>['links'][number]

export interface Provider {
  name: string
  label: string
  /** Undefined where no account of theirs is linked. */
  link: Link | undefined
}

interface DialogProps {
  provider: Provider
  opened: boolean
  close: () => void
}

/** Leaves for the provider, and comes back with its account. */
export function LinkDialog({ provider: { name, label }, opened, close }: DialogProps) {
  const begin = useChange('POST /api/users/me/sso/link', shownInForm)
  return (
    <ConfirmedDialog
      title={text.linkTitle(label)}
      opened={opened}
      text={text.linkText(label)}
      action={text.go(label)}
      asks="when-old"
      onCancel={close}
      submit={async (password) => {
        const { origin, pathname } = window.location
        const redirectUri = origin + pathname
        const { url } = await begin.mutateAsync({
          body: { provider: name, redirectUri, ...withPassword(password) },
        })
        window.location.assign(url)
      }}
    />
  )
}

export function UnlinkDialog({ provider: { name, label }, opened, close }: DialogProps) {
  const unlink = useChange('DELETE /api/users/me/sso/{provider}', {
    ...shownInForm,
    refreshes: ['GET /api/users/me/sso'],
  })
  return (
    <ConfirmedDialog
      title={text.unlinkTitle(label)}
      opened={opened}
      text={text.unlinkText(label)}
      action={text.unlink}
      hurts
      asks="never"
      onCancel={close}
      submit={async () => {
        await unlink.mutateAsync({ path: { provider: name } })
        showDone(text.unlinked(label))
        close()
      }}
    />
  )
}
