import { Select, Text, TextInput } from '@mantine/core'
import { useChange } from '../../../../api/use-api.ts'
import { clients as text } from '../../../../text/clients.ts'
import { shell } from '../../../../text/shell.ts'
import { FormDialog } from '../../../../ui/form-dialog.tsx'
import { showDone } from '../../../../ui/notices.tsx'
import type { Draft } from '../../../../ui/use-draft.ts'
import { TenantSelect } from '../tenant-select.tsx'
import { AddressFields } from './address-fields.tsx'
import { type ClientDraft, KINDS, type Kind, scopesFor, settingsOf, toNewClient } from './client-draft.ts'
import type { Connection } from './connection-dialog.tsx'
import { ProtocolFields } from './protocol-fields.tsx'
import { ScopesInput } from './scopes-input.tsx'

const AFTER = {
  refreshes: ['GET /api/admin/clients' as const, 'GET /api/admin/overview' as const],
  onProblem: () => true,
}

/** Registers or changes a client. */
export function ClientDialog({
  dialog: { draft, opened, change, close },
  applicationId,
  onCreated,
}: {
  dialog: Draft<ClientDraft>
  applicationId: string
  onCreated: (made: Connection) => void
}) {
  const isNew = draft.id === undefined
  const create = useChange('POST /api/admin/clients', AFTER)
  const edit = useChange('PATCH /api/admin/clients/{id}', AFTER)
  const submit = async () => {
    if (draft.id !== undefined) {
      await edit.mutateAsync({ path: { id: draft.id }, body: settingsOf(draft) })
      showDone(shell.saved)
      return
    }
    const { clientSecret, ...client } = await create.mutateAsync({ body: toNewClient(draft, applicationId) })
    showDone(text.created)
    onCreated({ client, ...(clientSecret !== null && { clientSecret }) })
  }
  return (
    <FormDialog
      title={isNew ? text.createTitle : text.editTitle(draft.title)}
      opened={opened}
      onClose={close}
      action={isNew ? text.add : shell.save}
      submit={submit}
    >
      {(fields) => (
        <>
          {isNew && <KindSelect draft={draft} change={change} />}
          <TextInput
            label={text.name}
            description={text.nameText}
            value={draft.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
            error={fields.name}
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
              error={fields.clientId}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
            />
          )}
          {draft.kind !== 'MACHINE' && (
            <AddressFields draft={draft} change={change} fields={fields} origins />
          )}
          {draft.kind === 'MACHINE' && isNew && (
            <TenantSelect
              value={draft.tenantId}
              onChange={(tenantId) => change({ tenantId })}
              error={fields.tenantId}
            />
          )}
          <ScopesInput draft={draft} change={change} fields={fields} />
          {draft.kind !== 'MACHINE' && <ProtocolFields draft={draft} change={change} fields={fields} />}
        </>
      )}
    </FormDialog>
  )
}

const KindSelect = ({
  draft,
  change,
}: {
  draft: ClientDraft
  change: (part: Partial<ClientDraft>) => void
}) => (
  <div>
    <Select
      label={text.kind}
      description={text.kindText}
      data={KINDS.map((kind) => ({ value: kind, label: text.kinds[kind].label }))}
      value={draft.kind}
      onChange={(kind) => kind !== null && change({ kind: kind as Kind, scopes: scopesFor(kind as Kind) })}
      allowDeselect={false}
    />
    <Text size="xs" c="dimmed" mt={6} mih={34}>
      {text.kinds[draft.kind].whom}
    </Text>
  </div>
)
