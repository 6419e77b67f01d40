import { useState } from 'react'

/** What is being written in a dialog. It stays while the dialog closes, so that nothing flickers. */
export function useDraft<D extends object>(empty: D) {
  const [draft, setDraft] = useState<D>(empty)
  const [opened, setOpened] = useState(false)
  return {
    draft,
    opened,
    open: (begun: D) => {
      setDraft(begun)
      setOpened(true)
    },
    change: (part: Partial<D>) => setDraft((former) => ({ ...former, ...part })),
    close: () => setOpened(false),
  }
}

export type Draft<D extends object> = ReturnType<typeof useDraft<D>>
