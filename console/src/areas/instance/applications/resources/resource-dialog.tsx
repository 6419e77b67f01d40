import { Switch, TagsInput, TextInput } from '@mantine/core'
import { useApiMutation } from '../../../../api/use-api.ts'
import { lists } from '../../../../text/lists.ts'
import { resources as text } from '../../../../text/resources.ts'
import { shell } from '../../../../text/shell.ts'
import { FormDialog } from '../../../../ui/form-dialog.tsx'
import { listErrorOf } from '../../../../ui/lines-input.tsx'
import { showSuccess } from '../../../../ui/notifications.tsx'
import type { DialogDraft } from '../../../../ui/use-dialog-draft.ts'
import type { FieldErrors } from '../../../../ui/use-submit.ts'
import type { ResourceDraft } from './resource-draft.ts'

const MUTATION_OPTIONS = { invalidates: ['GET /api/admin/resources' as const], onError: () => true }

/** Creates or edits a resource. */
export function ResourceDialog({
  dialog: { draft, opened, change, close },
  applicationId,
}: {
  dialog: DialogDraft<ResourceDraft>
  applicationId: string
}) {
  const create = useApiMutation('POST /api/admin/resources', MUTATION_OPTIONS)
  const edit = useApiMutation('PATCH /api/admin/resources/{id}', MUTATION_OPTIONS)
  const { id, name, uri, scopes, allowedClients, allowDynamicClients } = draft
  const submit = async () => {
    const settings = { name, scopes, allowedClients, allowDynamicClients }
    if (id === undefined) await create.mutateAsync({ body: { ...settings, applicationId, uri: uri.trim() } })
    else await edit.mutateAsync({ path: { id }, body: settings })
    showSuccess(id === undefined ? text.created : shell.saved)
  }
  return (
    <FormDialog
      title={id === undefined ? text.createTitle : text.editTitle(draft.title)}
      opened={opened}
      onClose={close}
      action={id === undefined ? text.add : shell.save}
      submit={submit}
    >
      {(fieldErrors) => (
        <>
          <TextInput
            label={text.name}
            description={text.nameText}
            value={name}
            onChange={(event) => change({ name: event.currentTarget.value })}
            error={fieldErrors.name}
            autoComplete="off"
            required
            data-autofocus
          />
          {id === undefined && (
            <TextInput
              label={text.uri}
              description={text.uriText}
              value={uri}
              onChange={(event) => change({ uri: event.currentTarget.value })}
              error={fieldErrors.uri}
              type="url"
              autoComplete="off"
              spellCheck={false}
              required
            />
          )}
          <ListInput name="scopes" draft={draft} change={change} fieldErrors={fieldErrors} />
          <ListInput name="allowedClients" draft={draft} change={change} fieldErrors={fieldErrors} />
          <Switch
            label={text.allowDynamicClients}
            description={text.allowDynamicClientsText}
            checked={allowDynamicClients}
            onChange={(event) => change({ allowDynamicClients: event.currentTarget.checked })}
          />
        </>
      )}
    </FormDialog>
  )
}

const DESCRIPTIONS = { scopes: text.scopesText, allowedClients: text.allowedClientsText }

const ListInput = ({
  name,
  draft,
  change,
  fieldErrors,
}: {
  name: keyof typeof DESCRIPTIONS
  draft: ResourceDraft
  change: (changes: Partial<ResourceDraft>) => void
  fieldErrors: FieldErrors
}) => (
  <TagsInput
    label={text[name]}
    description={DESCRIPTIONS[name]}
    value={draft[name]}
    onChange={(values) => change({ [name]: values })}
    error={listErrorOf(fieldErrors, name, (index, message) => lists.entry(draft[name][index] ?? '', message))}
    splitChars={[' ', ',']}
    acceptValueOnBlur
  />
)
