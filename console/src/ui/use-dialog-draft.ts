import { useState } from 'react'

/** The draft of a dialog form. It stays during the closing animation. */
export function useDialogDraft<D extends object>(empty: D) {
  const [draft, setDraft] = useState<D>(empty)
  const [opened, setOpened] = useState(false)
  return {
    draft,
    opened,
    open: (initial: D) => {
      setDraft(initial)
      setOpened(true)
    },
    change: (changes: Partial<D>) => setDraft((previous) => ({ ...previous, ...changes })),
    close: () => setOpened(false),
  }
}

export type DialogDraft<D extends object> = ReturnType<typeof useDialogDraft<D>>
