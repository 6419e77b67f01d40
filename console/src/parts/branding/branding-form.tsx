import { Button, ColorInput, Group, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { branding as text } from '../../text/branding.ts'
import { shell } from '../../text/shell.ts'
import { useConfirm } from '../../ui/confirm.tsx'
import { ErrorAlert } from '../../ui/states.tsx'
import type { Branding, Owner } from './branding-api.ts'
import { ContrastNote } from './contrast-note.tsx'
import { LogoField } from './logo-field.tsx'
import { SignInPreview } from './sign-in-preview.tsx'
import { ThemeField } from './theme-field.tsx'
import { useBranding } from './use-branding.ts'

/** The first color is the default. */
const SWATCHES = ['#3b5bdb', '#1971c2', '#0b7285', '#287d3a', '#c2410c', '#c2255c', '#9c36b5', '#343a40']

/** Name, color and logo with a preview. */
export function BrandingForm({ owner, branding }: { owner: Owner; branding: Branding }) {
  const brand = useBranding(owner, branding)
  const { form, displayName, setDisplayName, color, setColor, theme, setTheme, logo, setLogo, reset } = brand
  const [dialog, ask] = useConfirm()
  const question = { title: text.resetQuestion, text: text.resetText[owner.kind], action: text.reset }
  return (
    <form onSubmit={form.onSubmit}>
      {dialog}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <Stack>
          {form.generalError !== undefined && <ErrorAlert error={form.generalError} />}
          <TextInput
            label={text.displayName}
            description={text.displayNameText(owner.name)}
            value={displayName}
            onChange={(event) => setDisplayName(event.currentTarget.value)}
            error={form.fieldErrors.displayName}
            maxLength={60}
            autoComplete="off"
          />
          <ColorInput
            label={text.color}
            description={text.colorText}
            placeholder={SWATCHES[0]}
            value={color}
            onChange={setColor}
            error={form.fieldErrors.color}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            format="hex"
            swatches={SWATCHES}
            swatchesPerRow={SWATCHES.length}
            withEyeDropper={false}
            autoComplete="off"
            popoverProps={{ withinPortal: true }}
          />
          <ContrastNote color={color} saved={branding.color} onChange={setColor} />
          <ThemeField theme={theme} onChange={setTheme} />
          <LogoField logo={logo} onChange={setLogo} error={form.fieldErrors.logo} />
          <Group>
            <Button type="submit" loading={form.busy}>
              {shell.save}
            </Button>
            {branding.updatedAt !== null && (
              <Button variant="default" onClick={() => ask(question, reset)}>
                {text.reset}
              </Button>
            )}
          </Group>
        </Stack>
        <SignInPreview name={displayName.trim() || owner.name} color={color} theme={theme} logo={logo} />
      </SimpleGrid>
    </form>
  )
}
