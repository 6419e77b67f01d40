import { Button, FileButton, Group, Image, Input } from '@mantine/core'
import { useState } from 'react'
import { settings } from '../../../text/settings.ts'

const text = settings.branding
const MOST_BYTES = 64 * 1024
const TYPES = ['image/png', 'image/jpeg', 'image/webp']

/** A picture from one's own files. What is wrong with it at first sight is said before it is sent. */
export function LogoField({
  logo,
  onChange,
  error,
}: {
  logo: string | null
  onChange: (logo: string | null) => void
  error: string | undefined
}) {
  const [problem, setProblem] = useState<string>()
  const take = async (file: File | null) => {
    if (!file) return
    if (!TYPES.includes(file.type)) return setProblem(text.wrongType)
    if (file.size > MOST_BYTES) return setProblem(text.tooBig)
    setProblem(undefined)
    onChange(await toDataUrl(file))
  }
  return (
    <Input.Wrapper
      label={text.logo}
      labelElement="div"
      description={text.logoHint}
      error={problem ?? error}
      inputWrapperOrder={['label', 'description', 'input', 'error']}
    >
      <Group gap="sm" mt={6} mih={48}>
        {logo !== null && (
          <Image src={logo} alt={text.logo} h={48} w="auto" maw={160} fit="contain" radius={0} />
        )}
        <FileButton
          onChange={(file) => void take(file)}
          accept={TYPES.join(',')}
          inputProps={{ 'aria-label': text.logo }}
        >
          {(props) => (
            <Button variant="default" size="xs" {...props}>
              {text.choose}
            </Button>
          )}
        </FileButton>
        {logo !== null && (
          <Button variant="subtle" size="xs" onClick={() => onChange(null)}>
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
