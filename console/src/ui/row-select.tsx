import { Select, UnstyledButton } from '@mantine/core'
import { type KeyboardEvent, useRef, useState } from 'react'
import { Icon } from './icon.tsx'

interface RowSelectProps<V extends string> {
  /** The accessible name. */
  label: string
  value: V
  options: { value: V; label: string }[]
  onChange: (value: V) => void
}

/** A select in a row of a table. Until it is opened it is a button only, because a table can have a hundred. */
export function RowSelect<V extends string>({ label, value, options, onChange }: RowSelectProps<V>) {
  const [state, setState] = useState<'unused' | 'open' | 'closed'>('unused')
  const input = useRef<HTMLInputElement>(null)
  const [returnsFocus, setReturnsFocus] = useState(false)
  const close = () => {
    // A click elsewhere has moved the focus already.
    setReturnsFocus(document.activeElement === input.current)
    setState('closed')
  }
  if (state === 'open') {
    return (
      <Select
        ref={input}
        aria-label={label}
        data={options}
        value={value}
        onChange={(chosen) => chosen !== null && onChange(chosen as V)}
        onDropdownClose={close}
        defaultDropdownOpened
        autoFocus
        allowDeselect={false}
        size="xs"
        w={120}
        comboboxProps={{ width: 140, position: 'bottom-start' }}
      />
    )
  }
  const open = () => setState('open')
  const openByArrow = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    open()
  }
  return (
    <UnstyledButton
      className="row-select"
      role="combobox"
      aria-label={label}
      aria-haspopup="listbox"
      aria-expanded={false}
      onClick={open}
      onKeyDown={openByArrow}
      autoFocus={state === 'closed' && returnsFocus}
    >
      {options.find((option) => option.value === value)?.label ?? value}
      <Icon name="chevron" size={14} />
    </UnstyledButton>
  )
}
