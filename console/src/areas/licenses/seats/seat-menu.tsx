import { Button, Group, Menu, Text } from '@mantine/core'
import { licenses } from '../../../text/licenses.ts'
import { seatBar } from '../../../text/seats.ts'
import { Icon } from '../../../ui/icon.tsx'
import { RowMenu } from '../../../ui/row-menu.tsx'
import { grantableSeats, isUsable, type LicensedType, type MemberSeat } from '../types.ts'

const { seats: text } = licenses

interface SeatMenuProps {
  member: MemberSeat
  types: LicensedType[]
  onGrant: (type: LicensedType) => void
  onRevoke: () => void
  onShortage: () => void
}

/** The actions menu for the seat of one member. */
export function SeatMenu({ member, types, onGrant, onRevoke, onShortage }: SeatMenuProps) {
  const { displayName, license } = member
  return (
    <RowMenu
      width={250}
      target={
        <Button
          size="xs"
          variant={license ? 'default' : 'light'}
          rightSection={<Icon name="chevron" size={14} />}
          aria-label={license ? text.changeOf(displayName) : text.giveTo(displayName)}
        >
          {license ? text.change : text.give}
        </Button>
      }
    >
      <Menu.Label>{text.choose}</Menu.Label>
      <TypeItems types={types} currentId={license?.licenseTypeId} onChoose={onGrant} />
      {types.some((type) => grantableSeats(type) === 0) && (
        <Menu.Item leftSection={<Icon name="info" size={16} />} onClick={onShortage}>
          {text.needMore}
        </Menu.Item>
      )}
      {license && (
        <>
          <Menu.Divider />
          <Menu.Item leftSection={<Icon name="cross" size={16} />} onClick={onRevoke} className="alarming">
            {text.takeBack}
          </Menu.Item>
        </>
      )}
    </RowMenu>
  )
}

/** The license types with their number of free seats. */
export const TypeItems = ({
  types,
  currentId,
  onChoose,
}: {
  types: LicensedType[]
  currentId?: string | undefined
  onChoose: (type: LicensedType) => void
}) =>
  types.map((type) => (
    <Menu.Item
      key={type.id}
      disabled={type.id === currentId || grantableSeats(type) === 0}
      onClick={() => onChoose(type)}
      leftSection={<Icon name={type.id === currentId ? 'check' : 'seat'} size={16} />}
    >
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <span>{type.name}</span>
        <Text size="xs" span>
          {type.id === currentId ? text.current : describeLeft(type)}
        </Text>
      </Group>
    </Menu.Item>
  ))

function describeLeft(type: LicensedType): string {
  if (!isUsable(type)) return text.notGood
  return type.available === 0 ? text.noneLeft : seatBar.left(type.available)
}
