import { Modal } from '@mantine/core'
import { useState } from 'react'
import { invite as text } from '../../../text/invitations.ts'
import { shell } from '../../../text/shell.ts'
import { InviteForm } from './invite-form.tsx'
import { InviteResults } from './invite-results.tsx'
import { useInvite } from './use-invite.ts'

/** Invites many people: form, progress, and a result per address. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const invitations = useInvite()
  const [pasted, setPasted] = useState('')
  const [showsResults, setShowsResults] = useState(false)
  const { busy, outcomes } = invitations
  return (
    <Modal
      opened
      onClose={() => !busy && onClose()}
      title={text.title}
      size="lg"
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': shell.close, disabled: busy }}
    >
      {showsResults ? (
        <InviteResults
          {...invitations}
          onClose={onClose}
          onAgain={() => {
            const failed = outcomes.filter(({ problem }) => problem !== undefined)
            setPasted(failed.map(({ email }) => email).join('\n'))
            setShowsResults(false)
          }}
        />
      ) : (
        <InviteForm
          pasted={pasted}
          setPasted={setPasted}
          onCancel={onClose}
          onSend={(request) => {
            setShowsResults(true)
            void invitations.invite(request)
          }}
        />
      )}
    </Modal>
  )
}
