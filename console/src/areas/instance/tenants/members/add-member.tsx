import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useApiMutation, useApiQuery } from '../../../../api/use-api.ts'
import { roles } from '../../../../text/roles.ts'
import { tenantMembers } from '../../../../text/tenant-members.ts'
import { FormDialog } from '../../../../ui/form-dialog.tsx'
import { showSuccess } from '../../../../ui/notifications.tsx'
import { ROLES } from './use-member-handlers.tsx'

const { add: text } = tenantMembers

interface Props {
  tenantId: string
  opened: boolean
  onClose: () => void
}

/** Adds a user as a member without an invitation. */
export function AddMemberDialog({ tenantId, opened, onClose }: Props) {
  const [userId, setUserId] = useState<string | null>(null)
  const [role, setRole] = useState<(typeof ROLES)[number]>('member')
  const [searchText, setSearchText] = useState('')
  const [search] = useDebouncedValue(searchText.replace(/ \(.*$/, '').trim(), 200)
  const query = useApiQuery('GET /api/admin/users', {
    input: { query: { limit: 10, sort: 'email', ...(search !== '' && { search }) } },
    enabled: opened,
  })
  const options = (query.data?.users ?? []).map(({ id, displayName, email }) => ({
    value: id,
    label: `${displayName} (${email})`,
  }))
  const add = useApiMutation('POST /api/admin/tenants/{id}/members', {
    invalidates: ['GET /api/admin/tenants/{id}/members', 'GET /api/admin/tenants/{id}'],
    onError: () => true,
    onSuccess: ({ userId }) => {
      const name = query.data?.users.find(({ id }) => id === userId)?.displayName
      showSuccess(text.done(name ?? searchText))
      setUserId(null)
      setSearchText('')
      setRole('member')
    },
  })
  return (
    <FormDialog
      title={text.title}
      opened={opened}
      onClose={onClose}
      action={text.action}
      disabled={userId === null}
      submit={() => add.mutateAsync({ path: { id: tenantId }, body: { userId: userId ?? '', role } })}
    >
      {(fieldErrors) => (
        <>
          <Select
            label={text.person}
            description={text.personHint}
            placeholder={text.placeholder}
            nothingFoundMessage={text.nobody}
            data={options}
            // The service has already filtered the options.
            filter={({ options }) => options}
            searchable
            value={userId}
            onChange={setUserId}
            searchValue={searchText}
            onSearchChange={setSearchText}
            error={fieldErrors.userId}
            data-autofocus
          />
          <Select
            label={text.role}
            data={ROLES.map((value) => ({ value, label: roles[value] }))}
            value={role}
            onChange={(value) => value !== null && setRole(value)}
            allowDeselect={false}
          />
        </>
      )}
    </FormDialog>
  )
}
