import { Select, Text, TextInput } from '@mantine/core'
import { useApiMutation } from '../../../../api/use-api.ts'
import { clients as text } from '../../../../text/clients.ts'
import { shell } from '../../../../text/shell.ts'
import { FormDialog } from '../../../../ui/form-dialog.tsx'
import { showSuccess } from '../../../../ui/notifications.tsx'
import type { DialogDraft } from '../../../../ui/use-dialog-draft.ts'
import { TenantSelect } from '../tenant-select.tsx'
import { AccessConfirmation } from './access-confirmation.tsx'
import { AddressFields } from './address-fields.tsx'
import { AuthenticationFields } from './authentication-fields.tsx'
import { type ClientDraft, defaultScopes, KINDS, type Kind, toClientSettings, toNewClient } from './client-draft.ts'
import type { Connection } from './connection.ts'
import { LibraryField } from './library-field.tsx'
import { LogoutField } from './logout-field.tsx'
import { checkMachineAccess } from './machine-access.ts'
import { ProtocolFields } from './protocol-fields.tsx'
import { ScopesInput } from './scopes-input.tsx'
import { TokenExchangeSwitch } from './token-exchange-switch.tsx'

const MUTATION_OPTIONS = {
  invalidates: ['GET /api/admin/clients' as const, 'GET /api/admin/overview' as const],
  onError: () => true,
}

/** Creates or edits a client. */
export function ClientDialog({
  dialog: { draft, opened, change, close },
  applicationId,
  onCreated,
}: {
  dialog: DialogDraft<ClientDraft>
  applicationId: string
  onCreated: (created: Connection) => void
}) {
  const isNew = draft.id === undefined
  const create = useApiMutation('POST /api/admin/clients', MUTATION_OPTIONS)
  const edit = useApiMutation('PATCH /api/admin/clients/{id}', MUTATION_OPTIONS)
  const submit = async () => {
    checkMachineAccess(draft)
    if (draft.id !== undefined) {
      await edit.mutateAsync({ path: { id: draft.id }, body: toClientSettings(draft) })
      showSuccess(shell.saved)
      return
    }
    const { clientSecret, ...client } = await create.mutateAsync({ body: toNewClient(draft, applicationId) })
    showSuccess(text.created)
    onCreated({ client, libraryId: draft.libraryId, ...(clientSecret !== null && { clientSecret }) })
  }
  return (
    <FormDialog
      title={isNew ? text.createTitle : text.editTitle(draft.title)}
      opened={opened}
      onClose={close}
      action={isNew ? text.add : shell.save}
      submit={submit}
    >
      {(fieldErrors) => (
        <>
          {isNew && <LibraryField draft={draft} change={change} />}
          {isNew && <KindSelect draft={draft} change={change} />}
          {draft.kind === 'MACHINE' && isNew && (
            <TenantSelect
              value={draft.tenantId}
              onChange={(tenantId) => change({ tenantId })}
              error={fieldErrors.tenantId}
            />
          )}
          <TextInput
            label={text.name}
            description={text.nameText}
            value={draft.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
            error={fieldErrors.name}
            autoComplete="off"
            required
            data-autofocus
          />
          {isNew && (
            <TextInput
              label={text.clientId}
              description={text.clientIdText}
              value={draft.clientId}
              onChange={(event) => change({ clientId: event.currentTarget.value })}
              error={fieldErrors.clientId}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
            />
          )}
          {draft.kind !== 'MACHINE' && (
            <AddressFields draft={draft} change={change} fieldErrors={fieldErrors} origins />
          )}
          {draft.kind !== 'MACHINE' && <LogoutField draft={draft} change={change} fieldErrors={fieldErrors} />}
          <ScopesInput draft={draft} change={change} fieldErrors={fieldErrors} />
          <AccessConfirmation draft={draft} change={change} fieldErrors={fieldErrors} />
          {draft.kind !== 'SPA' && <AuthenticationFields draft={draft} change={change} fieldErrors={fieldErrors} />}
          {draft.kind !== 'SPA' && <TokenExchangeSwitch draft={draft} change={change} />}
          {draft.kind !== 'MACHINE' && <ProtocolFields draft={draft} change={change} fieldErrors={fieldErrors} />}
        </>
      )}
    </FormDialog>
  )
}

const KindSelect = ({ draft, change }: { draft: ClientDraft; change: (changes: Partial<ClientDraft>) => void }) => (
  <div>
    <Select
      label={text.kind}
      description={text.kindText}
      data={KINDS.map((kind) => ({ value: kind, label: text.kinds[kind].label }))}
      value={draft.kind}
      onChange={(kind) =>
        kind !== null && change({ kind: kind as Kind, libraryId: null, scopes: defaultScopes(kind as Kind) })
      }
      allowDeselect={false}
    />
    <Text size="xs" c="dimmed" mt={6} mih={34}>
      {text.kinds[draft.kind].description}
    </Text>
  </div>
)
