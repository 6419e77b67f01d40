import { Select } from '@mantine/core'

/** A filter of a list. The empty value means no filter. */
export const Filter = ({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: string
  options: Record<string, string>
  onChange: (value: string) => void
}) => (
  <Select
    aria-label={label}
    data={Object.entries(options).map(([value, label]) => ({ value, label }))}
    // Unknown values in the query string are ignored.
    value={value in options ? value : (Object.keys(options)[0] ?? '')}
    onChange={(selected) => onChange(selected ?? '')}
    allowDeselect={false}
    w={{ base: '100%', xs: 190 }}
    comboboxProps={{ withinPortal: true }}
  />
)

/** Parses a boolean query parameter. */
export const toFlag = (value: string): boolean | undefined =>
  value === 'true' ? true : value === 'false' ? false : undefined
