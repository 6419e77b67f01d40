import { useState } from 'react'
import { useAction } from '../../api/query-hooks.ts'
import { branding as text } from '../../text/branding.ts'
import { shell } from '../../text/shell.ts'
import { showSuccess } from '../../ui/notifications.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { type Branding, type BrandingBody, brandingApi, brandingKey, type Owner } from './branding-api.ts'

/** The state of the branding form, with save and reset. */
export function useBranding(owner: Owner, saved: Branding) {
  const [displayName, setDisplayName] = useState(saved.displayName ?? '')
  const [color, setColor] = useState(saved.color ?? '')
  const [theme, setTheme] = useState(saved.theme ?? 'classic')
  // Undefined keeps the saved logo.
  const [logo, setLogo] = useState<string | null>()
  const api = brandingApi(owner)
  const invalidates = [brandingKey(owner)]
  const change = useAction((body: BrandingBody) => api.change(body), {
    invalidates,
    silent: true,
    onSuccess: () => showSuccess(shell.saved),
  })
  const reset = useAction(() => api.reset(), { invalidates, onSuccess: () => showSuccess(text.wasReset) })
  const form = useSubmit(() =>
    change.mutateAsync({
      displayName: displayName.trim() || null,
      color: color.trim() || null,
      // Classic is the default, which needs no setting.
      theme: theme === 'classic' ? null : theme,
      ...(logo !== undefined && { logo }),
    }),
  )
  return {
    form,
    displayName,
    setDisplayName,
    color,
    setColor,
    theme,
    setTheme,
    setLogo,
    logo: logo === undefined ? saved.logoUrl : logo,
    reset: () => reset.mutateAsync(undefined),
  }
}
