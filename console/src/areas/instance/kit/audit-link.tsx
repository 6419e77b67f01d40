import { Button } from '@mantine/core'
import { Link } from 'wouter'
import { Icon } from '../../../ui/icon.tsx'

/** A link to the filtered audit log. */
export const AuditLink = ({ href, label }: { href: string; label: string }) => (
  <Button component={Link} href={href} variant="default" leftSection={<Icon name="list" size={16} />}>
    {label}
  </Button>
)
