// Doc comments and docstrings, taken apart.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDocComment } from './doc-comment.ts';
import { parseDocstring } from './docstring.ts';
import { chooseVariant } from '../print/variants.ts';

describe('doc comments', () => {
  test('have a brief, details, parameters, a result, errors, examples and notes', () => {
    const doc = parseDocComment(`/**
     * Finds a meeting by its title,
     * today or later.
     *
     * Titles are compared without case. See {@link Calendar} and {@link https://example.com|the page}.
     *
     * - one
     *
     * @param {string} title - What it is
     *   called.
     * @param [day=today] the day
     * @param {{ room: string }=} options More.
     * @returns {Meeting | undefined} the meeting
     * @throws {RangeError} if the day is past
     * @example
     * \`\`\`ts
     * @decorated
     * findMeeting('x');
     * \`\`\`
     * @remarks Slow.
     * @deprecated Use find.
     * @since 2
     */`);
    expect(doc).toEqual({
      brief: 'Finds a meeting by its title, today or later.',
      details: 'Titles are compared without case. See Calendar and the page.\n\n- one',
      parameters: [
        { name: 'title', type: 'string', text: 'What it is called.' },
        { name: 'day', optional: true, text: 'the day' },
        { name: 'options', type: '{ room: string }', optional: true, text: 'More.' },
      ],
      returns: { type: 'Meeting | undefined', text: 'the meeting' },
      throws: [{ type: 'RangeError', text: 'if the day is past' }],
      examples: ["```ts\n@decorated\nfindMeeting('x');\n```"],
      notes: ['Slow.', 'Deprecated. Use find.'],
      acl: [],
    });
  });

  test('rules are taken out, and a wording is chosen', () => {
    const doc = parseDocComment(`/**
     * VARIANTS/:For people and/or others/TOOL:For agents.
     *
     * More.
     * STATEK-ACL: + *
     * - secret
     * + find*: Clerk, Guest
     */`);
    expect(doc).toMatchObject({
      brief: 'For agents.',
      details: 'More.',
      acl: ['+ *', '- secret', '+ find*: Clerk, Guest'],
    });
    expect(chooseVariant('Say: VARIANTS/:a b/TOOL:c\n\nrest', ['OTHER'])).toBe('Say: a b\n\nrest');
    expect(chooseVariant('VARIANTS/TOOL:c', ['OTHER'])).toBe('');
  });

  test('property: the text is kept, whatever the margin', () => {
    const line = fc.stringMatching(/^[a-z][a-z .]{0,20}$/);
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), fc.nat(6), (lines, margin) => {
        const indent = ' '.repeat(margin);
        const words = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
        const starred = `/**\n${lines.map((one) => `${indent} * ${one}\n`).join('')}${indent} */`;
        const bare = `/** ${lines.join(`\n${indent}`)} */`;
        expect(words(parseDocComment(starred).brief)).toBe(words(lines.join(' ')));
        expect(words(parseDocComment(bare).brief)).toBe(words(lines.join(' ')));
      }),
    );
  });
});

describe('docstrings', () => {
  const expected = {
    brief: 'Finds a meeting.',
    details: 'It may take\na while.',
    parameters: [
      { name: 'title', type: 'str', text: 'What it is called.' },
      { name: 'day', text: 'the day' },
    ],
    returns: { type: 'Meeting', text: 'the meeting' },
    throws: [{ type: 'ValueError', text: 'if the day is past' }],
  };

  test('with sections', () => {
    const doc = parseDocstring(`Finds a meeting.

        It may take
        a while.

        Args:
            title (str): What it
                is called.
            day: the day

        Returns:
            Meeting: the meeting

        Raises:
            ValueError: if the day is past

        Example:
            >>> find('x')
            1
        Note: slow
        `);
    expect(doc).toMatchObject({ ...expected, examples: [">>> find('x')\n1"], notes: ['slow'] });
  });

  test('with underlined sections', () => {
    const doc = parseDocstring(`
    Finds a meeting.

    It may take
    a while.

    Parameters
    ----------
    title : str
        What it is called.
    day
        the day

    Returns
    -------
    Meeting
        the meeting

    Raises
    ------
    ValueError
        if the day is past
    `);
    expect(doc).toMatchObject(expected);
  });

  test('with fields', () => {
    const doc = parseDocstring(`Finds a meeting.

    It may take
    a while.

    :param str title: What it
        is called.
    :param day: the day
    :returns: the meeting
    :rtype: Meeting
    :raises ValueError: if the day is past
    `);
    expect(doc).toMatchObject(expected);
  });
});
