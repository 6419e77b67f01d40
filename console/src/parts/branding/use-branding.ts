import { useState } from 'react'
import { useDeed } from '../../api/use-door.ts'
import { branding as text } from '../../text/branding.ts'
import { shell } from '../../text/shell.ts'
import { useForm } from '../../ui/form-dialog.tsx'
import { showDone } from '../../ui/notices.tsx'
import { type Branding, type BrandingBody, doorOf, keyAt, type Owner } from './door.ts'

/** What is being chosen beside what is kept, and how it is saved or taken away. */
export function useBranding(owner: Owner, kept: Branding) {
  const [displayName, setDisplayName] = useState(kept.displayName ?? '')
  const [color, setColor] = useState(kept.color ?? '')
  // Undefined: the logo stays as it is.
  const [logo, setLogo] = useState<string | null>()
  const door = doorOf(owner)
  const refreshes = [keyAt(owner)]
  const change = useDeed((body: BrandingBody) => door.change(body), {
    refreshes,
    quiet: true,
    onDone: () => showDone(shell.saved),
  })
  const reset = useDeed(() => door.reset(), { refreshes, onDone: () => showDone(text.wasReset) })
  const form = useForm(() =>
    change.mutateAsync({
      displayName: displayName.trim() || null,
      color: color.trim() || null,
      ...(logo !== undefined && { logo }),
    }),
  )
  return {
    ...{ form, displayName, setDisplayName, color, setColor, setLogo },
    logo: logo === undefined ? kept.logoUrl : logo,
    reset: () => reset.mutateAsync(undefined),
  }
}
