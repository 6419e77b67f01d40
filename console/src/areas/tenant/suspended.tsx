import { Button } from '@mantine/core'
import { Link } from 'wouter'
import { shell } from '../../text/shell.ts'
import { suspendedTenant as text } from '../../text/suspended-tenant.ts'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'

/** Every page of a tenant that an operator has suspended. */
export const SuspendedTenant = ({ name }: { name: string }) => (
  <Page title={name}>
    <EmptyState
      icon="warning"
      title={text.title}
      text={text.text}
      action={
        <Button component={Link} href="~/console/account" variant="light">
          {shell.notFound.home}
        </Button>
      }
    />
  </Page>
)
