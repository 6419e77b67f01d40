import type { Reply } from '@latchkey/client'
import { useQueryClient } from '@tanstack/react-query'
import { toQueryKey, useApiMutation } from '../../../../api/use-api.ts'
import { clients as text } from '../../../../text/clients.ts'
import { showSuccess } from '../../../../ui/notifications.tsx'
import type { Client } from './client-draft.ts'

const LIST = 'GET /api/admin/clients'

/** Disables or enables a client with an optimistic update, which an error rolls back. */
export function useToggleDisabled() {
  const queries = useQueryClient()
  const updateCache = (id: string, disabled: boolean) =>
    queries.setQueriesData<Reply<typeof LIST>>(
      { queryKey: toQueryKey(LIST) },
      (page) =>
        page && {
          ...page,
          clients: page.clients.map((client) => (client.id === id ? { ...client, disabled } : client)),
        },
    )
  const change = useApiMutation('PATCH /api/admin/clients/{id}', { invalidates: [LIST] })
  return function setDisabled({ id, name }: Pick<Client, 'id' | 'name'>, disabled: boolean, isUndo = false) {
    const toMessage = disabled ? text.wasDisabled : text.wasEnabled
    const undo = () => setDisabled({ id, name }, !disabled, true)
    updateCache(id, disabled)
    change.mutate(
      { path: { id }, body: { disabled } },
      {
        onSuccess: () => showSuccess(toMessage(name), isUndo ? undefined : undo),
        onError: () => updateCache(id, !disabled),
      },
    )
  }
}
