import { type RefObject, useLayoutEffect, useRef } from 'react'

/** A button is disabled while it is busy, and so loses the focus. It gets it back, unless the person has gone elsewhere. */
export function useKeptFocus(busy: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null)
  const hadFocus = useRef(false)
  useLayoutEffect(() => {
    if (busy) hadFocus.current = document.activeElement === button.current
    else if (hadFocus.current && document.activeElement === document.body) button.current?.focus()
  }, [busy])
  return button
}
