import { TextInput, Title } from '@mantine/core'
import { guide } from '../../../../text/guide.ts'

const text = guide.name

interface NameStepProps {
  name: string
  onChange: (name: string) => void
  error?: string | undefined
}

export const NameStep = ({ name, onChange, error }: NameStepProps) => (
  <>
    <Title order={2} size="h3">
      {text.title}
    </Title>
    <TextInput
      label={text.label}
      description={text.text}
      placeholder={text.placeholder}
      value={name}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
      maxLength={120}
      autoComplete="off"
      autoFocus
      required
    />
  </>
)
