import { Button, ColorInput, Group, SimpleGrid, Stack, TextInput } from '@mantine/core'
import type { Reply } from 'latchkey-sdk'
import { useState } from 'react'
import { useChange } from '../../../api/use-api.ts'
import { settings } from '../../../text/settings.ts'
import { shell } from '../../../text/shell.ts'
import { useConfirm } from '../../../ui/confirm.tsx'
import { useForm } from '../../../ui/form-dialog.tsx'
import { showDone } from '../../../ui/notices.tsx'
import { Problem } from '../../../ui/states.tsx'
import { useTenant } from '../tenant.ts'
import { BrandingPreview } from './branding-preview.tsx'
import { LogoField } from './logo-field.tsx'

const text = settings.branding
const REFRESHES = ['GET /api/tenants/{id}/branding'] as const
const SWATCHES = ['#2f4fc4', '#1971c2', '#0c8599', '#2f9e44', '#e8590c', '#c2255c', '#6741d9', '#343a40']

export function BrandingForm({ branding }: { branding: Reply<'GET /api/tenants/{id}/branding'> }) {
  const { id, name } = useTenant()
  const [dialog, ask] = useConfirm()
  const [displayName, setDisplayName] = useState(branding.displayName ?? '')
  const [color, setColor] = useState(branding.color ?? '')
  // Undefined: the logo stays as it is.
  const [logo, setLogo] = useState<string | null>()
  const path = { id }
  const save = useChange('PUT /api/tenants/{id}/branding', {
    refreshes: [...REFRESHES],
    onDone: () => showDone(shell.saved),
    onProblem: () => true,
  })
  const reset = useChange('DELETE /api/tenants/{id}/branding', {
    refreshes: [...REFRESHES],
    onDone: () => showDone(text.resetDone),
  })
  const form = useForm(() =>
    save.mutateAsync({
      path,
      body: {
        displayName: displayName.trim() || null,
        color: color || null,
        ...(logo !== undefined && { logo }),
      },
    }),
  )
  const shownLogo = logo === undefined ? branding.logoUrl : logo
  const isGeneral = form.error !== undefined && Object.keys(form.fields).length === 0
  return (
    <form onSubmit={form.onSubmit}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl">
        <Stack>
          {isGeneral && <Problem error={form.error} />}
          <TextInput
            label={text.displayName}
            description={text.displayNameHint(name)}
            value={displayName}
            onChange={(event) => setDisplayName(event.currentTarget.value)}
            error={form.fields.displayName}
            autoComplete="organization"
            maxLength={60}
          />
          <ColorInput
            label={text.color}
            description={text.colorHint}
            value={color}
            onChange={setColor}
            error={form.fields.color}
            format="hex"
            placeholder={SWATCHES[0]}
            swatches={SWATCHES}
            swatchesPerRow={8}
            withEyeDropper={false}
            autoComplete="off"
          />
          <LogoField logo={shownLogo} onChange={setLogo} error={form.fields.logo} />
        </Stack>
        <BrandingPreview name={displayName.trim() || name} color={color} logo={shownLogo} />
      </SimpleGrid>
      <Group mt="lg" gap="sm">
        <Button type="submit" loading={form.busy}>
          {shell.save}
        </Button>
        {branding.updatedAt !== null && (
          <Button
            variant="subtle"
            color="red"
            onClick={() =>
              ask({ title: text.resetTitle, text: text.resetText, action: text.reset }, () =>
                reset.mutateAsync({ path }),
              )
            }
          >
            {text.reset}
          </Button>
        )}
      </Group>
      {dialog}
    </form>
  )
}
