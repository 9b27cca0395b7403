// The legs of a cascade as fields: which channels, in this order, and how long each waits for a receipt. A preset fills them all.

import { Checkbox, Fieldset, Group, NumberInput, SegmentedControl, Stack } from '@mantine/core';
import { useWords } from '../../ui/languages.ts';
import { formWords } from './form-words.ts';
import type { Channel } from './stories.ts';

export interface LegChoice {
  channel: Channel;
  on: boolean;
  timeoutSeconds: number;
}

/** `service`: no legs are sent, so that the account's own cascade holds. */
export const presets = {
  fast: [
    { channel: 'sms', on: true, timeoutSeconds: 3 },
    { channel: 'whatsapp', on: true, timeoutSeconds: 3 },
    { channel: 'voice', on: true, timeoutSeconds: 40 },
  ],
  usual: [
    { channel: 'sms', on: true, timeoutSeconds: 15 },
    { channel: 'whatsapp', on: true, timeoutSeconds: 15 },
    { channel: 'voice', on: true, timeoutSeconds: 45 },
  ],
  service: [
    { channel: 'sms', on: false, timeoutSeconds: 15 },
    { channel: 'whatsapp', on: false, timeoutSeconds: 15 },
    { channel: 'voice', on: false, timeoutSeconds: 45 },
  ],
} satisfies Record<string, LegChoice[]>;

const presetOf = (legs: readonly LegChoice[]): string => {
  const isSame = (preset: readonly LegChoice[]) => JSON.stringify(preset) === JSON.stringify(legs);
  return Object.entries(presets).find(([, preset]) => isSame(preset))?.[0] ?? '';
};

interface CascadeFieldsProps {
  legs: readonly LegChoice[];
  onChange(legs: LegChoice[]): void;
}

export function CascadeFields({ legs, onChange }: CascadeFieldsProps) {
  const say = useWords(formWords);
  const change = (at: number, part: Partial<LegChoice>) =>
    onChange(legs.map((leg, i) => (i === at ? { ...leg, ...part } : leg)));
  const names = { sms: say('sms'), whatsapp: 'WhatsApp', voice: say('voice') };
  return (
    <Fieldset legend={say('cascade')} p="sm">
      <Stack gap="xs">
        <SegmentedControl
          fullWidth
          size="xs"
          aria-label={say('preset')}
          value={presetOf(legs)}
          onChange={(name) => onChange([...presets[name as keyof typeof presets]])}
          data={[
            { value: 'fast', label: say('fast') },
            { value: 'usual', label: say('usual') },
            { value: 'service', label: say('service') },
          ]}
        />
        {legs.map(({ channel, on, timeoutSeconds }, at) => (
          <Group key={channel} justify="space-between" wrap="nowrap">
            <Checkbox
              label={names[channel]}
              checked={on}
              onChange={(event) => change(at, { on: event.currentTarget.checked })}
            />
            <NumberInput
              aria-label={say('secondsOf', { channel: names[channel] })}
              w={96}
              dir="ltr"
              size="xs"
              min={1}
              max={900}
              clampBehavior="strict"
              allowDecimal={false}
              suffix=" s"
              disabled={!on}
              value={timeoutSeconds}
              onChange={(value) => change(at, { timeoutSeconds: Number(value) || 1 })}
            />
          </Group>
        ))}
      </Stack>
    </Fieldset>
  );
}
