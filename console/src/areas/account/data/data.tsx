import { Button } from '@mantine/core'
import { useState } from 'react'
import { saveFile } from '../../../api/download.ts'
import { useChange } from '../../../api/use-api.ts'
import { ownData } from '../../../text/own-data.ts'
import { Icon } from '../../../ui/icon.tsx'
import { showDone } from '../../../ui/notices.tsx'
import { Page } from '../../../ui/page.tsx'
import { Section } from '../../../ui/section.tsx'
import { DeleteAccount } from './delete-account.tsx'

export const DataPlace = () => (
  <Page title={ownData.title} lead={ownData.lead}>
    <ExportSection />
    <DeletionSection />
  </Page>
)

function ExportSection() {
  const { title, lead, action, done, file } = ownData.export
  const take = useChange('GET /api/users/me/export', {
    onDone: (data) => {
      saveFile(file, new Blob([`${JSON.stringify(data, null, 2)}\n`], { type: 'application/json' }))
      showDone(done)
    },
  })
  return (
    <Section title={title} lead={lead}>
      <div>
        <Button
          variant="default"
          leftSection={<Icon name="download" size={16} />}
          loading={take.isPending}
          onClick={() => take.mutate({})}
        >
          {action}
        </Button>
      </div>
    </Section>
  )
}

function DeletionSection() {
  const { title, lead, action } = ownData.deletion
  const [open, setOpen] = useState(false)
  return (
    <Section title={title} lead={lead}>
      <div>
        <Button color="red" onClick={() => setOpen(true)}>
          {action}
        </Button>
      </div>
      <DeleteAccount opened={open} close={() => setOpen(false)} />
    </Section>
  )
}
