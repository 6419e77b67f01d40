import { type ComboboxItem, type OptionsFilter, Select } from '@mantine/core'
import { guide } from '../../../../text/guide.ts'
import { GROUP_NAMES, LIBRARIES } from '../../../../text/libraries/libraries.ts'
import { Icon } from '../../../../ui/icon.tsx'

const text = guide.library

const GROUPS = [...new Set(LIBRARIES.map(({ group }) => group))].map((group) => ({
  group: GROUP_NAMES[group],
  items: LIBRARIES.filter((library) => library.group === group).map(({ id, name }) => ({ value: id, label: name })),
}))

const SEARCHED = new Map(
  LIBRARIES.map(({ id, name, keywords, group }) => [
    id,
    `${name} ${keywords} ${group} ${GROUP_NAMES[group]}`.toLowerCase(),
  ]),
)

/** Every typed word must occur in the name, the keywords or the group. */
const filter: OptionsFilter = ({ options, search }) => {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const matches = ({ value }: ComboboxItem) => words.every((word) => SEARCHED.get(String(value))?.includes(word))
  return options
    .map((option) => ('group' in option ? { ...option, items: option.items.filter(matches) } : option))
    .filter((option) => ('group' in option ? option.items.length > 0 : matches(option)))
}

interface LibrarySelectProps {
  value: string | null
  onChange: (id: string | null) => void
  description?: string
  clearable?: boolean
}

/** A searchable list of libraries and tools. */
export const LibrarySelect = ({ value, onChange, description, clearable = false }: LibrarySelectProps) => (
  <Select
    label={text.label}
    {...(description !== undefined && { description })}
    placeholder={text.placeholder}
    data={GROUPS}
    value={value}
    onChange={onChange}
    filter={filter}
    searchable
    clearable={clearable}
    allowDeselect={false}
    selectFirstOptionOnChange
    nothingFoundMessage={text.nothingFound}
    maxDropdownHeight={320}
    leftSection={<Icon name="search" size={16} />}
  />
)
