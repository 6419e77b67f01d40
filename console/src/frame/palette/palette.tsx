import { Kbd, Modal, ScrollArea, Text, TextInput } from '@mantine/core'
import { type KeyboardEvent, useId, useState } from 'react'
import { useLocation } from 'wouter'
import { shell } from '../../text/shell.ts'
import { Icon } from '../../ui/icon.tsx'
import { ResultList } from './result-list.tsx'
import type { Result } from './results.ts'
import { useResults } from './use-results.ts'
import './palette.css'

const text = shell.palette

interface PaletteProps {
  opened: boolean
  onClose: () => void
}

/** Finds and opens pages, people, tenants and applications with the keyboard. */
export const Palette = ({ opened, onClose }: PaletteProps) => (
  <Modal.Root
    opened={opened}
    onClose={onClose}
    yOffset="10vh"
    padding={0}
    size={560}
    // Keys that follow the shortcut must reach the field.
    transitionProps={{ duration: 0 }}
  >
    <Modal.Overlay backgroundOpacity={0.45} blur={2} />
    <Modal.Content aria-label={text.title}>
      <Modal.Body>
        <Search onClose={onClose} />
      </Modal.Body>
    </Modal.Content>
  </Modal.Root>
)

function Search({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState<string>()
  const [, navigate] = useLocation()
  const listId = useId()
  const { groups, isSearching, isError } = useResults(typed)
  const results = groups.flatMap((group) => group.results)
  // Only a result on the screen can be selected. Without a choice it is the first one.
  const selected = results.find(({ href }) => href === chosen) ?? results[0]
  const open = ({ href }: Result) => {
    onClose()
    navigate(href)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && selected) {
      event.preventDefault()
      const next = (results.indexOf(selected) + step + results.length) % results.length
      setChosen(results[next]?.href)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      if (selected) open(selected)
    }
  }
  const status = isError ? text.failed : isSearching ? text.searching : results.length === 0 ? text.nothing(typed) : ''
  return (
    <div>
      <TextInput
        data-autofocus
        role="combobox"
        aria-label={text.title}
        aria-expanded={results.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        {...(selected && { 'aria-activedescendant': `${listId}-${selected.href}` })}
        placeholder={text.placeholder}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          setChosen(undefined)
        }}
        onKeyDown={onKeyDown}
        leftSection={<Icon name="search" />}
        size="md"
        maxLength={100}
        autoComplete="off"
        spellCheck={false}
        classNames={{ input: 'palette-input' }}
      />
      <ScrollArea.Autosize mah="min(420px, 60vh)" type="auto">
        <ResultList id={listId} groups={groups} selected={selected} onOpen={open} onSelect={setChosen} />
      </ScrollArea.Autosize>
      <Text size="sm" c="dimmed" px="md" py={status === '' ? 0 : 'sm'} role="status">
        {status}
      </Text>
      <Text size="xs" c="dimmed" px="md" py="xs" className="palette-keys" aria-hidden="true">
        {text.keys.move(
          <>
            <Kbd size="xs">↑</Kbd> <Kbd size="xs">↓</Kbd>
          </>,
        )}
        {' · '}
        {text.keys.open(<Kbd size="xs">Enter</Kbd>)}
        {' · '}
        {text.keys.close(<Kbd size="xs">Esc</Kbd>)}
      </Text>
    </div>
  )
}
