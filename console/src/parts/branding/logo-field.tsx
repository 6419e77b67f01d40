import { Button, FileButton, Group, Image, Input, Paper } from '@mantine/core'
import { useState } from 'react'
import { branding as text } from '../../text/branding.ts'

const MAX_BYTES = 64 * 1024
const TYPES = ['image/png', 'image/jpeg', 'image/webp']

interface LogoFieldProps {
  /** The URL or data URL of the logo. */
  logo: string | null
  onChange: (logo: string | null) => void
  error?: string | undefined
}

/** Selects a logo, which is submitted with the form. Type and size are checked immediately. */
export function LogoField({ logo, onChange, error }: LogoFieldProps) {
  const [problem, setProblem] = useState<string>()
  const selectFile = async (file: File | null) => {
    if (!file) return
    if (!TYPES.includes(file.type)) return setProblem(text.logoOfWrongType)
    if (file.size > MAX_BYTES) return setProblem(text.logoTooLarge(Math.ceil(file.size / 1024)))
    try {
      onChange(await toDataUrl(file))
      setProblem(undefined)
    } catch {
      setProblem(text.logoUnreadable)
    }
  }
  return (
    <Input.Wrapper label={text.logo} description={text.logoText} error={problem ?? error} labelElement="div">
      <Group mt="xs" mb="xs" mih={54}>
        {logo !== null && (
          <Paper p={6} radius="md">
            <Image src={logo} alt={text.logo} h={40} w="auto" maw={160} fit="contain" />
          </Paper>
        )}
        <FileButton accept={TYPES.join(',')} onChange={selectFile} inputProps={{ 'aria-label': text.logo }}>
          {(props) => (
            <Button {...props} variant="default">
              {logo === null ? text.chooseLogo : text.replaceLogo}
            </Button>
          )}
        </FileButton>
        {logo !== null && (
          <Button variant="subtle" color="red" onClick={() => onChange(null)}>
            {text.removeLogo}
          </Button>
        )}
      </Group>
    </Input.Wrapper>
  )
}

const toDataUrl = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
