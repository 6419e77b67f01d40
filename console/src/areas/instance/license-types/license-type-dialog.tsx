import { NumberInput, Textarea, TextInput } from '@mantine/core'
import { useChange } from '../../../api/use-api.ts'
import { slugFrom } from '../../../lib/slug.ts'
import { licenseTypes as text } from '../../../text/license-types.ts'
import { shell } from '../../../text/shell.ts'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { showDone } from '../../../ui/notices.tsx'
import type { Draft } from '../../../ui/use-draft.ts'
import { type FeatureRow, FeatureRows, namesTwice, rowsOf, toFeatures } from './feature-rows.tsx'
import type { LicenseType } from './license-types-section.tsx'

interface TypeDraft {
  /** None yet: it is a new one. */
  id?: string | undefined
  /** As it was called before. */
  title: string
  name: string
  slug: string
  /** The slug follows the name until somebody writes another. */
  slugFollows: boolean
  description: string
  displayOrder: number
  features: FeatureRow[]
}

/** A new one comes after those that are there. */
export const newDraft = (types: LicenseType[]): TypeDraft => ({
  title: '',
  name: '',
  slug: '',
  slugFollows: true,
  description: '',
  displayOrder: Math.max(0, ...types.map(({ displayOrder }) => displayOrder)) + 1,
  features: rowsOf({}),
})

export const draftOf = ({ id, name, slug, description, displayOrder, features }: LicenseType): TypeDraft => ({
  ...{ id, name, slug, displayOrder, title: name },
  slugFollows: false,
  description: description ?? '',
  features: rowsOf(features),
})

const AFTER = { refreshes: ['GET /api/licensing/license-types' as const], onProblem: () => true }

/** Makes or changes a license type. */
export function LicenseTypeDialog({
  dialog: { draft, opened, change, close },
  applicationId,
}: {
  dialog: Draft<TypeDraft>
  applicationId: string
}) {
  const create = useChange('POST /api/licensing/license-types', AFTER)
  const edit = useChange('PATCH /api/licensing/license-types/{id}', AFTER)
  const submit = async () => {
    const { name, slug, displayOrder } = draft
    const description = draft.description.trim() || null
    const body = { name, slug, displayOrder, description, features: toFeatures(draft.features) }
    if (draft.id === undefined) await create.mutateAsync({ body: { ...body, applicationId } })
    else await edit.mutateAsync({ path: { id: draft.id }, body })
    showDone(draft.id === undefined ? text.created(name.trim()) : shell.saved)
  }
  return (
    <FormDialog
      title={draft.id === undefined ? text.createTitle : text.editTitle(draft.title)}
      opened={opened}
      onClose={close}
      action={draft.id === undefined ? text.add : shell.save}
      submit={submit}
      disabled={namesTwice(draft.features)}
    >
      {(fields) => (
        <>
          <TextInput
            label={text.name}
            value={draft.name}
            onChange={({ currentTarget: { value } }) =>
              change({ name: value, ...(draft.slugFollows && { slug: slugFrom(value) }) })
            }
            error={fields.name}
            autoComplete="off"
            required
            data-autofocus
          />
          <TextInput
            label={text.slug}
            description={text.slugText}
            value={draft.slug}
            onChange={(event) => change({ slug: event.currentTarget.value, slugFollows: false })}
            error={fields.slug}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            required
          />
          <Textarea
            label={text.description}
            value={draft.description}
            onChange={(event) => change({ description: event.currentTarget.value })}
            error={fields.description}
            autosize
            minRows={2}
            maxRows={5}
            maxLength={2000}
          />
          <FeatureRows
            rows={draft.features}
            onChange={(features) => change({ features })}
            error={fields.features}
          />
          <NumberInput
            label={text.order}
            description={text.orderText}
            value={draft.displayOrder}
            onChange={(value) => change({ displayOrder: Number(value) || 0 })}
            error={fields.displayOrder}
            allowDecimal={false}
            min={-1_000_000}
            max={1_000_000}
          />
        </>
      )}
    </FormDialog>
  )
}
