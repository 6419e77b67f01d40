import { Button } from '@mantine/core'
import { useState } from 'react'
import { saveFile } from '../../../api/download.ts'
import { useApiMutation } from '../../../api/use-api.ts'
import { ownData } from '../../../text/own-data.ts'
import { Icon } from '../../../ui/icon.tsx'
import { showSuccess } from '../../../ui/notifications.tsx'
import { Page } from '../../../ui/page.tsx'
import { Section } from '../../../ui/section.tsx'
import { OwnConsents } from './consents.tsx'
import { DeleteAccount } from './delete-account.tsx'

export const DataPage = () => (
  <Page title={ownData.title} lead={ownData.lead}>
    <OwnConsents />
    <ExportSection />
    <DeletionSection />
  </Page>
)

function ExportSection() {
  const { title, lead, action, done, file } = ownData.export
  const download = useApiMutation('GET /api/users/me/export', {
    onSuccess: (data) => {
      saveFile(file, new Blob([`${JSON.stringify(data, null, 2)}\n`], { type: 'application/json' }))
      showSuccess(done)
    },
  })
  return (
    <Section title={title} lead={lead}>
      <div>
        <Button
          variant="default"
          leftSection={<Icon name="download" size={16} />}
          loading={download.isPending}
          onClick={() => download.mutate({})}
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
