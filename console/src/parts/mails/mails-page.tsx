import { Anchor, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { findMailKind, mails as text } from '../../text/mails.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, QueryContent } from '../../ui/states.tsx'
import { Tag } from '../../ui/tag.tsx'
import { type MailOwner, type MailTemplate, mailsApi, mailsKey } from './mails-api.ts'

/** All mails whose texts can be edited. */
export function MailsPage({ owner }: { owner: MailOwner }) {
  const query = useQuery({ queryKey: mailsKey(owner), queryFn: mailsApi(owner).list })
  return (
    <Page title={text.title} lead={owner === undefined ? text.lead.instance : text.lead.tenant}>
      <QueryContent query={query} skeletonRows={8}>
        {({ mailTemplates }) => (
          <DataTable
            label={text.title}
            columns={COLUMNS}
            rows={mailTemplates}
            keyOf={({ kind }) => kind}
            empty={<EmptyState icon="mail" title={text.title} />}
          />
        )}
      </QueryContent>
    </Page>
  )
}

const COLUMNS: Column<MailTemplate>[] = [
  {
    title: text.columns.mail,
    cell: ({ kind }) => {
      const { title, when } = findMailKind(kind)
      return (
        <Stack gap={2}>
          <Anchor component={Link} href={`/${kind}`} fw={500}>
            {title}
          </Anchor>
          <Text size="sm" c="dimmed">
            {when}
          </Text>
        </Stack>
      )
    },
  },
  {
    title: text.columns.subject,
    cell: ({ subject, defaults }) => <bdi>{subject ?? defaults.subject}</bdi>,
    wideOnly: true,
  },
  {
    title: text.columns.texts,
    cell: ({ updatedAt }) => (updatedAt === null ? <Text size="sm">{text.default}</Text> : <Tag>{text.edited}</Tag>),
  },
]
