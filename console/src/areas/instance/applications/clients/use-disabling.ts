import { useQueryClient } from '@tanstack/react-query'
import type { Reply } from 'latchkey-sdk'
import { keyOf, useChange } from '../../../../api/use-api.ts'
import { clients as text } from '../../../../text/clients.ts'
import { showDone } from '../../../../ui/notices.tsx'
import type { Client } from './client-draft.ts'

const LIST = 'GET /api/admin/clients'

/** Disables or enables a client: seen at once, and taken back where it is refused. */
export function useDisabling() {
  const queries = useQueryClient()
  const show = (id: string, disabled: boolean) =>
    queries.setQueriesData<Reply<typeof LIST>>(
      { queryKey: keyOf(LIST) },
      (page) =>
        page && { ...page, clients: page.clients.map((one) => (one.id === id ? { ...one, disabled } : one)) },
    )
  const change = useChange('PATCH /api/admin/clients/{id}', { refreshes: [LIST] })
  return function setDisabled({ id, name }: Pick<Client, 'id' | 'name'>, disabled: boolean, isUndo = false) {
    const say = disabled ? text.wasDisabled : text.wasEnabled
    const undo = () => setDisabled({ id, name }, !disabled, true)
    show(id, disabled)
    change.mutate(
      { path: { id }, body: { disabled } },
      {
        onSuccess: () => showDone(say(name), isUndo ? undefined : undo),
        onError: () => show(id, !disabled),
      },
    )
  }
}
