import { shell } from '../../../text/shell.ts'
import { Page } from '../../../ui/page.tsx'

export const UserPlace = (_: { id: string }) => <Page title={shell.nav.instance.users}>{null}</Page>
