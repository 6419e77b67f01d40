import { CloseButton, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { shell } from '../text/shell.ts'
import { Icon } from './icon.tsx'

/** A search field that waits 250 ms after the last key press. */
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
  const search = useDebouncedCallback(onSearch, 250)
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
