// Four agents. What they are told is in prompts/, what they see first in warmups/, what they may look up in documents/;
// the code only says of which kind each is.
import { DialogAgent, MessageDispatcher, Researcher, SupervisedAgent } from 'statek';
import { Office } from './office.ts';

/** @param tellAnn what Ann reads */
export async function officeAgents(tellAnn: (text: string) => void): Promise<readonly SupervisedAgent[]> {
  const scheduleAssistant = new DialogAgent({
    role: 'schedule_assistant',
    // Its warmup calls this; its model is not told about it.
    internalTools: { openOffice: () => new Office() },
    sendMessage: async (text) => tellAnn(text),
  });
  // When it would answer, it is held back once for each message, and has one more turn.
  await scheduleAssistant.setReminder(
    'Before you answer: has the review_agent approved the booking? delegate it booking and rules.',
  );
  return [
    new MessageDispatcher({ role: 'dispatcher' }),
    scheduleAssistant,
    new Researcher({ role: 'information_retriever' }),
    new SupervisedAgent({ role: 'review_agent' }),
  ];
}
