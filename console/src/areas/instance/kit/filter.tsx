import { Select } from '@mantine/core'

/** One choice among the rows of a list. The empty value stands for all. */
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
    // Whatever else stands in the address counts for nothing.
    value={value in options ? value : (Object.keys(options)[0] ?? '')}
    onChange={(chosen) => onChange(chosen ?? '')}
    allowDeselect={false}
    w={{ base: '100%', xs: 190 }}
    comboboxProps={{ withinPortal: true }}
  />
)

/** What the address says of a thing that is so, or is not. */
export const toFlag = (value: string): boolean | undefined =>
  value === 'true' ? true : value === 'false' ? false : undefined
