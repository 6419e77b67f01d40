import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useChange, useRead } from '../../../../api/use-api.ts'
import { roles } from '../../../../text/roles.ts'
import { tenantMembers } from '../../../../text/tenant-members.ts'
import { FormDialog } from '../../../../ui/form-dialog.tsx'
import { showDone } from '../../../../ui/notices.tsx'
import { ROLES } from './use-member-deeds.tsx'

const { add: text } = tenantMembers

interface Props {
  tenantId: string
  opened: boolean
  onClose: () => void
}

/** Makes somebody a member without an invitation. */
export function AddMemberDialog({ tenantId, opened, onClose }: Props) {
  const [person, setPerson] = useState<string | null>(null)
  const [role, setRole] = useState<(typeof ROLES)[number]>('member')
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.replace(/ \(.*$/, '').trim(), 200)
  const found = useRead('GET /api/admin/users', {
    input: { query: { limit: 10, sort: 'email', ...(search !== '' && { search }) } },
    enabled: opened,
  })
  const people = (found.data?.users ?? []).map(({ id, displayName, email }) => ({
    value: id,
    label: `${displayName} (${email})`,
  }))
  const add = useChange('POST /api/admin/tenants/{id}/members', {
    refreshes: ['GET /api/admin/tenants/{id}/members', 'GET /api/admin/tenants/{id}'],
    onProblem: () => true,
    onDone: ({ userId }) => {
      const name = found.data?.users.find(({ id }) => id === userId)?.displayName
      showDone(text.done(name ?? typed))
      setPerson(null)
      setTyped('')
      setRole('member')
    },
  })
  return (
    <FormDialog
      title={text.title}
      opened={opened}
      onClose={onClose}
      action={text.action}
      disabled={person === null}
      submit={() => add.mutateAsync({ path: { id: tenantId }, body: { userId: person ?? '', role } })}
    >
      {(fields) => (
        <>
          <Select
            label={text.person}
            description={text.personHint}
            placeholder={text.placeholder}
            nothingFoundMessage={text.nobody}
            data={people}
            // The service has searched already.
            filter={({ options }) => options}
            searchable
            value={person}
            onChange={setPerson}
            searchValue={typed}
            onSearchChange={setTyped}
            error={fields.userId}
            data-autofocus
          />
          <Select
            label={text.role}
            data={ROLES.map((value) => ({ value, label: roles[value] }))}
            value={role}
            onChange={(chosen) => chosen !== null && setRole(chosen)}
            allowDeselect={false}
          />
        </>
      )}
    </FormDialog>
  )
}
