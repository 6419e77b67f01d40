import { useLocalStorage, useWindowEvent } from '@mantine/hooks'
import { useState } from 'react'

const isMac = /mac|iphone|ipad/i.test(navigator.userAgent)
export const MOD_KEY = isMac ? '⌘' : 'Ctrl'

type Overlay = 'palette' | 'help'

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))

const isDialogOpen = (): boolean => document.querySelector('[role=dialog]') !== null

const isPaletteKey = (event: KeyboardEvent): boolean =>
  (isMac ? event.metaKey : event.ctrlKey) && event.key.toLowerCase() === 'k'

/** The overlay of a single key. By character, because the keys differ between keyboard layouts. */
function toOverlay(event: KeyboardEvent): Overlay | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event.target)) return undefined
  if (event.key === '/') return 'palette'
  return event.key === '?' ? 'help' : undefined
}

/** Ctrl or ⌘ with K works everywhere. Single keys do so outside fields, and can be turned off. */
export function useShortcuts() {
  const [shown, setShown] = useState<Overlay>()
  const [singleKeys, setSingleKeys] = useLocalStorage({
    key: 'latchkey.single-keys',
    defaultValue: true,
    getInitialValueInEffect: false,
  })
  useWindowEvent('keydown', (event) => {
    const overlay = isPaletteKey(event) ? 'palette' : singleKeys ? toOverlay(event) : undefined
    if (overlay === undefined) return
    event.preventDefault()
    if (!isDialogOpen()) setShown(overlay)
  })
  return { shown, show: setShown, close: () => setShown(undefined), singleKeys, setSingleKeys }
}

export type Shortcuts = ReturnType<typeof useShortcuts>
