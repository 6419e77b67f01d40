import { Button, ColorInput, Group, SimpleGrid, Stack, TextInput } from '@mantine/core'
import type { Reply } from 'latchkey-sdk'
import { useState } from 'react'
import { useChange } from '../../../../api/use-api.ts'
import { branding as text } from '../../../../text/application-branding.ts'
import { shell } from '../../../../text/shell.ts'
import { useConfirm } from '../../../../ui/confirm.tsx'
import { useForm } from '../../../../ui/form-dialog.tsx'
import { showDone } from '../../../../ui/notices.tsx'
import { Problem } from '../../../../ui/states.tsx'
import { LogoField } from './logo-field.tsx'
import { SignInPreview } from './sign-in-preview.tsx'

const SWATCHES = ['#3b5bdb', '#1971c2', '#0c8599', '#2f9e44', '#e8590c', '#c2255c', '#9c36b5', '#343a40']

interface BrandingFormProps {
  id: string
  /** What the pages show where there is no other name. */
  name: string
  branding: Reply<'GET /api/admin/applications/{id}/branding'>
}

/** Name, color and logo, and beside them what becomes of them. */
export function BrandingForm({ id, name, branding }: BrandingFormProps) {
  const [displayName, setDisplayName] = useState(branding.displayName ?? '')
  const [color, setColor] = useState(branding.color ?? '')
  // Undefined: the logo stays as it is.
  const [logo, setLogo] = useState<string | null>()
  const [dialog, ask] = useConfirm()
  const refreshes = ['GET /api/admin/applications/{id}/branding' as const]
  const change = useChange('PUT /api/admin/applications/{id}/branding', {
    refreshes,
    onDone: () => showDone(shell.saved),
    onProblem: () => true,
  })
  const remove = useChange('DELETE /api/admin/applications/{id}/branding', {
    refreshes,
    onDone: () => showDone(text.wasReset),
  })
  const form = useForm(() =>
    change.mutateAsync({
      path: { id },
      body: {
        displayName: displayName.trim() || null,
        color: color.trim() || null,
        ...(logo !== undefined && { logo }),
      },
    }),
  )
  const shownLogo = logo === undefined ? branding.logoUrl : logo
  const question = { title: text.resetQuestion, text: text.resetText, action: text.reset }
  return (
    <form onSubmit={form.onSubmit}>
      {dialog}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <Stack>
          {form.error !== undefined && Object.keys(form.fields).length === 0 && (
            <Problem error={form.error} />
          )}
          <TextInput
            label={text.displayName}
            description={text.displayNameText(name)}
            value={displayName}
            onChange={(event) => setDisplayName(event.currentTarget.value)}
            error={form.fields.displayName}
            maxLength={60}
            autoComplete="off"
          />
          <ColorInput
            label={text.color}
            description={text.colorText}
            placeholder="#3b5bdb"
            value={color}
            onChange={setColor}
            error={form.fields.color}
            swatches={SWATCHES}
            withEyeDropper={false}
            popoverProps={{ withinPortal: true }}
          />
          <LogoField logo={shownLogo} onChange={setLogo} error={form.fields.logo} />
          <Group>
            <Button type="submit" loading={form.busy}>
              {shell.save}
            </Button>
            {branding.updatedAt !== null && (
              <Button
                variant="default"
                onClick={() => ask(question, () => remove.mutateAsync({ path: { id } }))}
              >
                {text.reset}
              </Button>
            )}
          </Group>
        </Stack>
        <SignInPreview name={displayName.trim() || name} color={color} logo={shownLogo} />
      </SimpleGrid>
    </form>
  )
}
