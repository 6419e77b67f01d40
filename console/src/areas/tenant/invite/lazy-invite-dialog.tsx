import { lazy, Suspense } from 'react'

const Dialog = lazy(() => import('./invite-dialog.tsx').then(({ InviteDialog }) => ({ default: InviteDialog })))

/** The dialog, whose code is loaded when it is opened. */
export const InviteDialog = (props: { onClose: () => void }) => (
  <Suspense>
    <Dialog {...props} />
  </Suspense>
)
