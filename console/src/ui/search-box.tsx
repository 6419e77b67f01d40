import { CloseButton, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { shell } from '../text/shell.ts'
import { Icon } from './icon.tsx'

/** A search field that waits 250 ms after the last key press. It follows a search that another part of the page sets. */
export function SearchBox({
  label,
  value,
  onSearch,
}: {
  label: string
  value: string
  onSearch: (text: string) => void
}) {
  const [text, setText] = useState(value)
  const lastSearch = useRef(value)
  const search = useDebouncedCallback((typed: string) => {
    lastSearch.current = typed
    onSearch(typed)
  }, 250)
  useEffect(() => {
    // The own search comes back as the value, and must not change what is typed meanwhile.
    if (value === lastSearch.current) return
    lastSearch.current = value
    search.cancel()
    setText(value)
  }, [value, search])
  const change = (typed: string) => {
    setText(typed)
    search(typed.trim())
  }
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      leftSection={<Icon name="search" size={16} />}
      rightSection={text === '' ? null : <CloseButton size="sm" onClick={() => change('')} aria-label={shell.clear} />}
      w={{ base: '100%', xs: 260 }}
      maxLength={100}
    />
  )
}
