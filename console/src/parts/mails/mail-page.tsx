import { SimpleGrid } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { findMailKind, mails as text } from '../../text/mails.ts'
import { Page } from '../../ui/page.tsx'
import { QueryContent } from '../../ui/states.tsx'
import { Tag } from '../../ui/tag.tsx'
import { MailForm } from './mail-form.tsx'
import { MailPreview } from './mail-preview.tsx'
import { type MailOwner, type MailTemplate, mailsApi, mailsKey } from './mails-api.ts'
import { useMail } from './use-mail.ts'

/** The editor of one mail, with its preview. */
export function MailPage({ owner, kind }: { owner: MailOwner; kind: string }) {
  const query = useQuery({ queryKey: [...mailsKey(owner), kind], queryFn: () => mailsApi(owner).read(kind) })
  const { title, when } = findMailKind(kind)
  return (
    <Page
      title={title}
      lead={when}
      back={{ href: '/', label: text.all }}
      badges={query.data?.updatedAt != null && <Tag>{text.edited}</Tag>}
    >
      <QueryContent query={query} skeletonRows={4} skeletonHeight={76}>
        {(template) => <MailEditor owner={owner} template={template} />}
      </QueryContent>
    </Page>
  )
}

function MailEditor({ owner, template }: { owner: MailOwner; template: MailTemplate }) {
  const mail = useMail(owner, template)
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" verticalSpacing="xl">
      <MailForm mail={mail} template={template} />
      <MailPreview mail={mail} />
    </SimpleGrid>
  )
}
