import { NumberInput, Textarea, TextInput } from '@mantine/core'
import { useApiMutation } from '../../../api/use-api.ts'
import { toSlug } from '../../../lib/slug.ts'
import { licenseTypes as text } from '../../../text/license-types.ts'
import { shell } from '../../../text/shell.ts'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { showSuccess } from '../../../ui/notifications.tsx'
import type { DialogDraft } from '../../../ui/use-dialog-draft.ts'
import { type FeatureRow, FeatureRows, hasDuplicates, toFeatureRows, toFeatures } from './feature-rows.tsx'
import type { LicenseType } from './types.ts'

interface LicenseTypeDraft {
  /** Undefined for a new license type. */
  id?: string | undefined
  /** The saved name, for the dialog title. */
  title: string
  name: string
  slug: string
  /** True until the user edits the slug. */
  slugFollows: boolean
  description: string
  displayOrder: number
  features: FeatureRow[]
}

/** A new license type is ordered after the existing ones. */
export const newLicenseTypeDraft = (types: LicenseType[]): LicenseTypeDraft => ({
  title: '',
  name: '',
  slug: '',
  slugFollows: true,
  description: '',
  displayOrder: Math.max(0, ...types.map(({ displayOrder }) => displayOrder)) + 1,
  features: toFeatureRows({}),
})

export const toLicenseTypeDraft = ({
  id,
  name,
  slug,
  description,
  displayOrder,
  features,
}: LicenseType): LicenseTypeDraft => ({
  id,
  name,
  slug,
  displayOrder,
  title: name,
  slugFollows: false,
  description: description ?? '',
  features: toFeatureRows(features),
})

const MUTATION_OPTIONS = { invalidates: ['GET /api/licensing/license-types' as const], onError: () => true }

/** Creates or edits a license type. */
export function LicenseTypeDialog({
  dialog: { draft, opened, change, close },
  applicationId,
}: {
  dialog: DialogDraft<LicenseTypeDraft>
  applicationId: string
}) {
  const create = useApiMutation('POST /api/licensing/license-types', MUTATION_OPTIONS)
  const edit = useApiMutation('PATCH /api/licensing/license-types/{id}', MUTATION_OPTIONS)
  const submit = async () => {
    const { name, slug, displayOrder } = draft
    const description = draft.description.trim() || null
    const body = { name, slug, displayOrder, description, features: toFeatures(draft.features) }
    if (draft.id === undefined) await create.mutateAsync({ body: { ...body, applicationId } })
    else await edit.mutateAsync({ path: { id: draft.id }, body })
    showSuccess(draft.id === undefined ? text.created(name.trim()) : shell.saved)
  }
  return (
    <FormDialog
      title={draft.id === undefined ? text.createTitle : text.editTitle(draft.title)}
      opened={opened}
      onClose={close}
      action={draft.id === undefined ? text.add : shell.save}
      submit={submit}
      disabled={hasDuplicates(draft.features)}
    >
      {(fieldErrors) => (
        <>
          <TextInput
            label={text.name}
            value={draft.name}
            onChange={({ currentTarget: { value } }) =>
              change({ name: value, ...(draft.slugFollows && { slug: toSlug(value) }) })
            }
            error={fieldErrors.name}
            autoComplete="off"
            required
            data-autofocus
          />
          <TextInput
            label={text.slug}
            description={text.slugText}
            value={draft.slug}
            onChange={(event) => change({ slug: event.currentTarget.value, slugFollows: false })}
            error={fieldErrors.slug}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            required
          />
          <Textarea
            label={text.description}
            value={draft.description}
            onChange={(event) => change({ description: event.currentTarget.value })}
            error={fieldErrors.description}
            autosize
            minRows={2}
            maxRows={5}
            maxLength={2000}
          />
          <FeatureRows
            rows={draft.features}
            onChange={(features) => change({ features })}
            error={fieldErrors.features}
          />
          <NumberInput
            label={text.order}
            description={text.orderText}
            value={draft.displayOrder}
            onChange={(value) => change({ displayOrder: Number(value) || 0 })}
            error={fieldErrors.displayOrder}
            allowDecimal={false}
            min={-1_000_000}
            max={1_000_000}
          />
        </>
      )}
    </FormDialog>
  )
}
