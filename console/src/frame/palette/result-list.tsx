import { Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { formatList } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import type { Result, ResultGroup } from './results.ts'

interface ResultListProps {
  id: string
  groups: ResultGroup[]
  selected: Result | undefined
  onOpen: (result: Result) => void
  onSelect: (href: string) => void
}

/** The results as a list box. The focus stays in the search field. */
export const ResultList = ({ id, groups, selected, onOpen, onSelect }: ResultListProps) => (
  <div id={id} role="listbox" aria-label={formatList(groups.map(({ title }) => title))} className="palette-list">
    {groups.map(({ title, results }) => (
      // biome-ignore lint/a11y/useSemanticElements: a group of options in a list box has no element of its own.
      <div key={title} role="group" aria-label={title}>
        <Text size="xs" fw={600} c="dimmed" px="sm" pt="xs" pb={4} aria-hidden="true">
          {title}
        </Text>
        {results.map((result) => (
          <Option
            key={result.href}
            id={`${id}-${result.href}`}
            result={result}
            isSelected={result.href === selected?.href}
            onOpen={() => onOpen(result)}
            onPoint={() => onSelect(result.href)}
          />
        ))}
      </div>
    ))}
  </div>
)

function Option({
  id,
  result: { label, note, icon },
  isSelected,
  onOpen,
  onPoint,
}: {
  id: string
  result: Result
  isSelected: boolean
  onOpen: () => void
  onPoint: () => void
}) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isSelected) element.current?.scrollIntoView({ block: 'nearest' })
  }, [isSelected])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the search field handles the keys.
    // biome-ignore lint/a11y/useFocusableInteractive: the search field keeps the focus and names the active option.
    <div
      ref={element}
      id={id}
      role="option"
      aria-selected={isSelected}
      className="palette-option"
      onClick={onOpen}
      onMouseMove={onPoint}
    >
      <Icon name={icon} />
      <Text size="sm" fw={500} truncate>
        {label}
      </Text>
      <Text size="xs" c="dimmed" truncate ms="auto" ps="sm">
        {note}
      </Text>
    </div>
  )
}
