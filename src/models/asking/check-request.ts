// Validates a request before it is sent. It rejects what any provider would reject, so that a request is valid for all
// providers or for none.
import { refuseUnknownOptions, type OptionNames } from '../../base/options.ts';
import { ModelBadRequestError } from '../errors.ts';
import type { MediaPart, ModelMessage } from '../message.ts';
import type { ModelRequest } from '../request.ts';

const requestNames: OptionNames<ModelRequest> = {
  model: true,
  provider: true,
  fallbacks: true,
  messages: true,
  tools: true,
  toolChoice: true,
  temperature: true,
  topP: true,
  maxOutputTokens: true,
  stopSequences: true,
  seed: true,
  output: true,
  cacheKey: true,
  cache: true,
  settings: true,
};

export function checkRequest(request: ModelRequest): void {
  refuseUnknownOptions('A model request', request, requestNames);
  checkTools(request);
  checkConversation(request.messages);
}

function checkTools({ tools = [], toolChoice }: ModelRequest): void {
  const names = new Set<string>();
  for (const { name, input } of tools) {
    if (!/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name)) {
      throw refused(
        `'${name}' is not a valid name of a tool: use 1 to 64 letters, digits, '_' or '-', starting with a letter or '_'`,
      );
    }
    if (names.has(name)) throw refused(`there are two tools named '${name}'`);
    if (input['type'] !== 'object') throw refused(`the input schema of tool '${name}' must have the type 'object'`);
    names.add(name);
  }
  if (typeof toolChoice === 'object' && !names.has(toolChoice.tool)) {
    throw refused(`toolChoice names '${toolChoice.tool}', which is not among the tools`);
  }
  if (toolChoice === 'required' && names.size === 0) throw refused(`toolChoice is 'required', but there are no tools`);
}

/** Every tool call must have exactly one result before the next message. */
function checkConversation(messages: readonly ModelMessage[]): void {
  const spoken = messages.filter(({ role }) => role !== 'system');
  if (spoken[0]?.role !== 'user')
    throw refused("the first message after the system messages must have the role 'user'");
  if (spoken.at(-1)?.role === 'assistant' && messages.at(-1)?.role === 'assistant') {
    throw refused("the last message has the role 'assistant', so there is nothing to answer");
  }
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const where = `messages[${index}]`;
    if (message.role !== 'tool' && open.size > 0) {
      throw refused(`${where} comes before the results of the calls ${[...open].join(', ')}`);
    }
    if (message.role === 'assistant') open = callsOf(message, where);
    if (message.role === 'tool') {
      for (const { id } of message.content) {
        if (!open.delete(id)) throw refused(`${where} has a result for '${id}', which is not a pending tool call`);
      }
    }
    for (const media of mediaOf(message)) checkMedia(media, where);
  }
  if (open.size > 0) throw refused(`the tool calls ${[...open].join(', ')} have no results`);
}

function callsOf(message: Extract<ModelMessage, { role: 'assistant' }>, where: string): Set<string> {
  const ids = new Set<string>();
  if (typeof message.content === 'string') return ids;
  for (const part of message.content) {
    if (part.type !== 'tool-call') continue;
    if (ids.has(part.id)) throw refused(`${where} has two calls with the id '${part.id}'`);
    ids.add(part.id);
  }
  return ids;
}

function mediaOf(message: ModelMessage): readonly MediaPart[] {
  if (typeof message.content === 'string') return [];
  if (message.role === 'tool') return message.content.flatMap(({ media = [] }) => media);
  return message.content.flatMap((part) => (part.type === 'media' ? [part] : []));
}

function checkMedia({ data, url, mediaType }: MediaPart, where: string): void {
  if ((data === undefined) === (url === undefined)) throw refused(`${where}: media must have either data or a url`);
  if (!/^[a-z]+\/[\w.+-]+$/i.test(mediaType))
    throw refused(`${where}: '${mediaType}' is not a media type such as 'image/png'`);
  if (url !== undefined && !/^https?:\/\//.test(url))
    throw refused(`${where}: the url of media must start with http:// or https://`);
}

function refused(what: string): ModelBadRequestError {
  return new ModelBadRequestError(`The request cannot be sent: ${what}.`);
}
