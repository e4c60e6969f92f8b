-- What the last memd of schema 7 left when it was killed (pg_dump --data-only).
INSERT INTO conversation_context (id, user_id, session_id, role, message, created_at, received_at, tenant_id, session_no, "position", learn, agent_id, app_id, actor_id, client_id, timezone, metadata, learn_as) OVERRIDING SYSTEM VALUE VALUES
	(1, 'alice', 'first', 'user', '{"role": "user", "content": "My favorite color is teal"}', '2026-11-30 18:34:52.079967+00', '2026-11-30 18:34:52.079967+00', 'default', 1, 0, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(2, 'alice', 'first', 'assistant', '{"role": "assistant", "content": "Teal is a calm color."}', '2026-11-30 18:34:52.079967+00', '2026-11-30 18:34:52.079967+00', 'default', 1, 1, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(3, 'alice', 'first', 'user', '{"role": "user", "content": "I live in Oslo"}', '2026-11-30 18:34:52.079967+00', '2026-11-30 18:34:52.079967+00', 'default', 1, 2, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(4, 'alice', 'first', 'user', '{"role": "user", "content": "I have a dog named Rex"}', '2026-11-30 18:34:52.079967+00', '2026-11-30 18:34:52.079967+00', 'default', 1, 3, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(5, 'alice', 'second', 'user', '{"role": "user", "content": "I moved to Bergen. I live in Bergen now"}', '2026-11-30 18:34:52.280077+00', '2026-11-30 18:34:52.280077+00', 'default', 2, 0, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(6, 'alice', 'second', 'user', '{"role": "user", "content": "My favorite color is teal"}', '2026-11-30 18:34:52.280077+00', '2026-11-30 18:34:52.280077+00', 'default', 2, 1, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(7, 'bob', 'first', 'user', '{"role": "user", "content": "I am allergic to peanuts"}', '2026-11-30 18:34:52.284037+00', '2026-11-30 18:34:52.284037+00', 'default', 3, 0, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(8, 'bob', 'first', 'user', '{"role": "user", "content": "I work as a carpenter"}', '2026-11-30 18:34:52.284037+00', '2026-11-30 18:34:52.284037+00', 'default', 3, 1, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(9, 'alice', 'first', 'user', '{"role": "user", "content": "I play the cello"}', '2026-11-30 18:34:52.290213+00', '2026-11-30 18:34:52.290213+00', 'acme', 4, 0, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(10, 'alice', 'third', 'user', '{"role": "user", "content": "I collect old stamps"}', '2026-11-30 18:34:53.691171+00', '2026-11-30 18:34:53.691171+00', 'default', 5, 0, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(11, 'alice', 'third', 'user', '{"role": "user", "content": "My favorite color is teal"}', '2026-11-30 18:34:53.691171+00', '2026-11-30 18:34:53.691171+00', 'default', 5, 1, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(12, 'carol', 'first', 'user', '{"role": "user", "content": "I am a nurse"}', '2026-11-30 18:34:53.724279+00', '2026-11-30 18:34:53.724279+00', 'default', 6, 0, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(13, 'carol', 'first', 'user', '{"role": "user", "content": "I have a cat named Minka"}', '2026-11-30 18:34:53.724279+00', '2026-11-30 18:34:53.724279+00', 'default', 6, 1, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(14, 'carol', 'first', 'user', '{"role": "user", "content": "I play chess on Sundays"}', '2026-11-30 18:34:53.724279+00', '2026-11-30 18:34:53.724279+00', 'default', 6, 2, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(15, 'dave', 'first', 'user', '{"role": "user", "content": "I study botany"}', '2026-11-30 18:34:53.729063+00', '2026-11-30 18:34:53.729063+00', 'acme', 7, 0, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO conversation_session (no, tenant_id, user_id, session_id, kind, agent_id, title, metadata, previous_session_id, messages, removed, last_message_id, last_message_at, created_at, closed_at, next_session_id, forwards_to, turns, bytes, heard_at, learn, incognito, rotate_idle, rotate_turns, rotate_tokens, rotate_age) OVERRIDING SYSTEM VALUE VALUES
	(1, 'default', 'alice', 'first', 'chat', NULL, 'My favorite color is teal', '{}', NULL, 4, 0, 4, '2026-11-30 18:34:52.079967+00', '2026-11-30 18:34:52.079967+00', NULL, NULL, NULL, 3, 211, '2026-11-30 18:34:52.079967+00', true, false, NULL, NULL, NULL, NULL),
	(2, 'default', 'alice', 'second', 'chat', NULL, 'I moved to Bergen. I live in Bergen now', '{}', NULL, 2, 0, 6, '2026-11-30 18:34:52.280077+00', '2026-11-30 18:34:52.280077+00', NULL, NULL, NULL, 2, 126, '2026-11-30 18:34:52.280077+00', true, false, NULL, NULL, NULL, NULL),
	(3, 'default', 'bob', 'first', 'chat', NULL, 'I am allergic to peanuts', '{}', NULL, 2, 0, 8, '2026-11-30 18:34:52.284037+00', '2026-11-30 18:34:52.284037+00', NULL, NULL, NULL, 2, 107, '2026-11-30 18:34:52.284037+00', true, false, NULL, NULL, NULL, NULL),
	(4, 'acme', 'alice', 'first', 'chat', NULL, 'I play the cello', '{}', NULL, 1, 0, 9, '2026-11-30 18:34:52.290213+00', '2026-11-30 18:34:52.290213+00', NULL, NULL, NULL, 1, 47, '2026-11-30 18:34:52.290213+00', true, false, NULL, NULL, NULL, NULL),
	(5, 'default', 'alice', 'third', 'chat', NULL, 'I collect old stamps', '{}', NULL, 2, 0, 11, '2026-11-30 18:34:53.691171+00', '2026-11-30 18:34:53.691171+00', NULL, NULL, NULL, 2, 107, '2026-11-30 18:34:53.691171+00', true, false, NULL, NULL, NULL, NULL),
	(6, 'default', 'carol', 'first', 'chat', NULL, 'I am a nurse', '{}', NULL, 3, 0, 14, '2026-11-30 18:34:53.724279+00', '2026-11-30 18:34:53.724279+00', NULL, NULL, NULL, 3, 152, '2026-11-30 18:34:53.724279+00', true, false, NULL, NULL, NULL, NULL),
	(7, 'acme', 'dave', 'first', 'chat', NULL, 'I study botany', '{}', NULL, 1, 0, 15, '2026-11-30 18:34:53.729063+00', '2026-11-30 18:34:53.729063+00', NULL, NULL, NULL, 1, 45, '2026-11-30 18:34:53.729063+00', true, false, NULL, NULL, NULL, NULL);
INSERT INTO memory_scope (id, tenant_id, key, app_id, user_id, agent_id, run_id, memories, memory_terms, messages, message_terms, neighbour_model, neighbour_dimensions, neighbours_upto, neighbours_ready) OVERRIDING SYSTEM VALUE VALUES
	(1, 'default', '\x7ce6a870efdecde2795594b4ca78aab80e56b796145b4b0e1f20d68c2d22f64a', '', 'alice', '', '', 6, 16, 6, 19, NULL, NULL, NULL, false),
	(4, 'acme', '\x1c329f1857123c2531e8f34b12f663bc94752d0746b03ae6f4f6ae6bdcdbab16', '', 'alice', '', '', 1, 2, 1, 2, NULL, NULL, NULL, false),
	(3, 'default', '\xaa02a26bdc37096c14b4ee341527ccba3dcaa8a561aae552d51be1078781721c', '', 'bob', '', '', 3, 9, 2, 4, NULL, NULL, NULL, false);
INSERT INTO memory (id, tenant_id, scope_id, app_id, user_id, agent_ids, run_ids, actor_id, role, scope, memory_type, categories, metadata, memory, hash, verbatim, slot, negated, extractor, pinned, created_at, updated_at, valid_from, valid_to, superseded_by, occurred_at, expires_at, edited, subject, value) VALUES
	('01a22dbd-058e-7424-93e1-7e3ed09b2a30', 'default', 1, NULL, 'alice', '{}', '{first}', NULL, 'assistant', NULL, NULL, '{}', '{}', 'Teal is a calm color', '45bbfa5fc8a9ea52b252cecd0bb62f4cd09beadd9f2d80d6feaed3141c86bdaa', false, NULL, false, 'rules/3', false, '2026-11-30 18:34:52.136666+00', '2026-11-30 18:34:52.136666+00', '2026-11-30 18:34:52.079967+00', NULL, NULL, NULL, NULL, '{}', '', ''),
	('01a22dbd-058e-7427-844b-748bb2f3f6b4', 'default', 1, NULL, 'alice', '{}', '{first}', NULL, 'user', NULL, NULL, '{pets}', '{}', 'I have a dog named Rex', '3ba31225ff469cdfcf74f4c9c56906075e49b871981a638259462cc2b12b35c8', false, 'pet:rex', false, 'rules/3', false, '2026-11-30 18:34:52.136666+00', '2026-11-30 18:34:52.136666+00', '2026-11-30 18:34:52.079967+00', NULL, NULL, NULL, NULL, '{}', '', ''),
	('01a22dbd-060e-74e5-95fa-51bfc2ab647e', 'default', 1, NULL, 'alice', '{}', '{second}', NULL, 'user', NULL, NULL, '{home}', '{}', 'I moved to Bergen', 'e1d752e6d6126530b8d178f1cb5d3bf4904c29e7924692ca526747095632f613', false, 'home', false, 'rules/3', false, '2026-11-30 18:34:52.297361+00', '2026-11-30 18:34:52.297361+00', '2026-11-30 18:34:52.280077+00', NULL, NULL, NULL, NULL, '{}', '', 'Bergen'),
	('01a22dbd-060e-74e7-b44a-6ff789e7932a', 'default', 1, NULL, 'alice', '{}', '{second}', NULL, 'user', NULL, NULL, '{home}', '{}', 'I live in Bergen now', 'e89564f933eefe147aa8d99d8286da8cf1189f6f68b9fe9e198729197189c252', false, 'home', false, 'rules/3', false, '2026-11-30 18:34:52.297361+00', '2026-11-30 18:34:52.297361+00', '2026-11-30 18:34:52.280077+00', NULL, NULL, NULL, NULL, '{}', '', 'Bergen'),
	('01a22dbd-058e-7420-a469-828bc7d45cdf', 'default', 1, NULL, 'alice', '{}', '{first,second}', NULL, 'user', NULL, NULL, '{preference}', '{}', 'My favorite color is teal', 'e8b329d0a012126ef908f792e344c24bbe83dbcfca43e54853d1536f820bc3ef', false, 'favorite:color', false, 'rules/3', false, '2026-11-30 18:34:52.136666+00', '2026-11-30 18:34:52.297361+00', '2026-11-30 18:34:52.079967+00', NULL, NULL, NULL, NULL, '{}', '', 'teal'),
	('01a22dbd-058e-7426-849f-6f43c6576311', 'default', 1, NULL, 'alice', '{}', '{first}', NULL, 'user', NULL, NULL, '{home}', '{}', 'I live in Oslo', '60c1fb8ce3b9e583e3eb26e9cdf89ce5d9eec8c2bb37ae4511bf9cb3802bf4ea', false, 'home', false, 'rules/3', false, '2026-11-30 18:34:52.136666+00', '2026-11-30 18:34:52.297361+00', '2026-11-30 18:34:52.079967+00', '2026-11-30 18:34:52.280077+00', '01a22dbd-060e-74e5-95fa-51bfc2ab647e', NULL, NULL, '{}', '', 'Oslo'),
	('01a22dbd-0646-7d23-aea5-2c4a208d3c47', 'acme', 4, NULL, 'alice', '{}', '{first}', NULL, 'user', NULL, NULL, '{habit}', '{}', 'I play the cello', '67e9290865c1d46c6c574bb1c89f491d5aad7f2749c65d38575f3d8d00f0508a', false, 'habit:play cello', false, 'rules/3', false, '2026-11-30 18:34:52.357699+00', '2026-11-30 18:34:52.357699+00', '2026-11-30 18:34:52.290213+00', NULL, NULL, NULL, NULL, '{}', '', ''),
	('01a22dbd-063b-796e-8c9f-55493cc8a067', 'default', 3, NULL, 'bob', '{}', '{first}', NULL, 'user', NULL, NULL, '{health}', '{}', 'I am allergic to peanuts', '804bcc46e8b62089f0b556cad89798074f4aac370e4f573f84a2952c26fcef60', false, 'allergy:peanuts', false, 'rules/3', false, '2026-11-30 18:34:52.291473+00', '2026-11-30 18:34:52.291473+00', '2026-11-30 18:34:52.284037+00', NULL, NULL, NULL, NULL, '{}', '', ''),
	('01a22dbd-063b-797f-a0f1-10cbf0a3d0ec', 'default', 3, NULL, 'bob', '{}', '{first}', NULL, 'user', NULL, NULL, '{work}', '{}', 'I work as a carpenter', '915c5459264d38539ff1e2f044f793d426480989b5f86678c36f9411e709e50f', false, 'role', false, 'rules/3', false, '2026-11-30 18:34:52.291473+00', '2026-11-30 18:34:52.291473+00', '2026-11-30 18:34:52.284037+00', NULL, NULL, NULL, NULL, '{}', '', 'carpenter'),
	('01a22dbd-06b5-75c0-9a0a-72708aabc15e', 'default', 3, NULL, 'bob', '{}', '{}', NULL, 'user', NULL, NULL, '{}', '{}', 'The spare key hangs behind the clock', '85d8b27216732a6546f605d7ec32214fe80d400d651ba0a6eab3ddd3d9f63839', true, NULL, false, NULL, false, '2026-11-30 18:34:52.466847+00', '2026-11-30 18:34:52.466847+00', '2026-11-30 18:34:52.466847+00', NULL, NULL, NULL, NULL, '{}', '', '');
INSERT INTO idempotency (tenant_id, key, body, message_ids, duplicates, states, status, content_type, answer, claimed_until, created_at, users) VALUES
	('default', '\x0a4da8ac514bfb923cb5e780cd6ef9a1b16e085a916435d6b7de3b612906b1ef', '\x29f7a67095a57e9eb6c9b1e61bd07fbf8cfa349ddaef39c22283090619cb26e7', '{1,2,3,4}', '{f,f,f,f}', NULL, NULL, NULL, NULL, NULL, '2026-11-30 18:34:52.079967+00', NULL),
	('default', '\x4692767676ef9699f4b911847a0f18dc1056bb499272b732f335cde34b21eeea', '\xa66bed1214efaaef6e660cad66ab3ea662eb5a06e0778f03a7ed07bd45efb37d', '{10,11}', '{f,f}', NULL, NULL, NULL, NULL, NULL, '2026-11-30 18:34:53.691171+00', NULL),
	('default', '\x9cb30a7ea35ee709d6243c2c85d58c756108625f9b317bdc5f2d052a4a90344f', '\xc17c0b0e666927cd14c7199e50d5ff5bef345d1b4aecfbf9d17a0e0d58019935', '{12,13,14}', '{f,f,f}', NULL, NULL, NULL, NULL, NULL, '2026-11-30 18:34:53.724279+00', NULL);
INSERT INTO ingest_open (message_id, tenant_id, session_no, priority, state, attempts, opened_at, next_attempt_at, lease_until, publish_at, publishes, error, again, lot) VALUES
	(10, 'default', 5, 0, 'pending', 0, '2026-11-30 18:34:53.691171+00', NULL, NULL, '2026-11-30 18:34:58.691171+00', 0, NULL, false, -6283343261252860035),
	(11, 'default', 5, 0, 'pending', 0, '2026-11-30 18:34:53.691171+00', NULL, NULL, '2026-11-30 18:34:58.691171+00', 0, NULL, false, -6283343261252860035),
	(12, 'default', 6, 0, 'pending', 0, '2026-11-30 18:34:53.724279+00', NULL, NULL, '2026-11-30 18:34:58.724279+00', 0, NULL, false, 837430855595201142),
	(13, 'default', 6, 0, 'pending', 0, '2026-11-30 18:34:53.724279+00', NULL, NULL, '2026-11-30 18:34:58.724279+00', 0, NULL, false, 837430855595201142),
	(14, 'default', 6, 0, 'pending', 0, '2026-11-30 18:34:53.724279+00', NULL, NULL, '2026-11-30 18:34:58.724279+00', 0, NULL, false, 837430855595201142),
	(15, 'acme', 7, 0, 'pending', 0, '2026-11-30 18:34:53.729063+00', NULL, NULL, '2026-11-30 18:34:58.729063+00', 0, NULL, false, 1761262093396202587);
INSERT INTO ingest_settled (message_id, tenant_id, state, attempts, extractor, error, settled_at) VALUES
	(1, 'default', 'done', 1, 'rules/3', NULL, '2026-11-30 18:34:52.136666+00'),
	(2, 'default', 'done', 1, 'rules/3', NULL, '2026-11-30 18:34:52.136666+00'),
	(3, 'default', 'done', 1, 'rules/3', NULL, '2026-11-30 18:34:52.136666+00'),
	(4, 'default', 'done', 1, 'rules/3', NULL, '2026-11-30 18:34:52.136666+00'),
	(5, 'default', 'done', 1, 'rules/3', NULL, '2026-11-30 18:34:52.297361+00'),
	(6, 'default', 'done', 1, 'rules/3', NULL, '2026-11-30 18:34:52.297361+00'),
	(9, 'acme', 'done', 1, 'rules/3', NULL, '2026-11-30 18:34:52.357699+00'),
	(7, 'default', 'done', 1, 'rules/3', NULL, '2026-11-30 18:34:52.291473+00'),
	(8, 'default', 'done', 1, 'rules/3', NULL, '2026-11-30 18:34:52.291473+00');
INSERT INTO memory_embedding_p3 (memory_id, tenant_id, scope_id, model, live, embedding) VALUES
	('01a22dbd-0646-7d23-aea5-2c4a208d3c47', 'acme', 4, 'words/64', true, '[0.18566895,0.0066986084,-0.020477295,-0.21801758,0.18286133,-0.17089844,0.10211182,-0.07562256,0.016693115,-0.0368042,-0.20898438,-0.22570801,-0.030654907,0.21179199,0.025146484,-0.095214844,-0.11682129,0.11199951,-0.13671875,-0.070007324,-0.014480591,-0.1776123,0.07293701,0.07501221,-0.12182617,-0.124938965,-0.008041382,0.04156494,-0.20605469,0.16040039,0.03744507,-0.029724121,-0.26611328,-0.11260986,0.04522705,-0.031188965,-0.019088745,0.06439209,0.0647583,-0.010879517,-0.04534912,-0.27075195,-0.007865906,0.029525757,-0.04812622,-0.07543945,-0.0859375,0.07714844,-0.1237793,-0.05822754,0.22790527,0.1694336,-0.17553711,-0.03829956,0.16247559,-0.06439209,-0.051635742,-0.24633789,0.010566711,0.08282471,-0.19335938,-0.08703613,0.038360596,0.14074707]');
INSERT INTO memory_embedding_p8 (memory_id, tenant_id, scope_id, model, live, embedding) VALUES
	('01a22dbd-058e-7420-a469-828bc7d45cdf', 'default', 1, 'words/64', true, '[-0.02897644,-0.1026001,0.022155762,0.10015869,-0.16796875,-0.08972168,0.029937744,0.3388672,0.13879395,-0.026107788,-0.01071167,0.022323608,-0.20324707,-0.051239014,0.044830322,0.071777344,0.17102051,-0.10559082,0.0044555664,-0.12536621,-0.022216797,0.002576828,0.0029945374,-0.17565918,0.085754395,0.08648682,-0.019042969,0.050231934,-0.02949524,-0.14868164,-0.09527588,-0.28149414,0.012397766,-0.01574707,-0.13098145,-0.08251953,-0.3059082,-0.27246094,-0.016296387,0.032836914,0.17480469,-0.13232422,-0.056671143,-0.09222412,0.08117676,0.14355469,-0.020080566,-0.085998535,0.08660889,-0.039764404,0.051940918,0.16540527,-0.099243164,0.15576172,0.054473877,-0.17626953,0.1998291,-0.031082153,-0.23022461,0.028747559,0.03591919,0.17871094,-0.11694336,0.028045654]'),
	('01a22dbd-058e-7424-93e1-7e3ed09b2a30', 'default', 1, 'words/64', true, '[0.07836914,0.119018555,0.054626465,0.1027832,-0.008888245,-0.112854004,0.10845947,0.07940674,0.040100098,-0.19128418,-0.18811035,0.0748291,-0.17700195,0.111328125,-0.08355713,-0.023773193,0.08178711,0.016921997,0.026855469,0.015136719,-0.0037879944,0.09710693,0.12548828,-0.020736694,0.08996582,0.0071754456,0.03994751,-0.1138916,-0.13574219,-0.22399902,0.031829834,-0.24267578,0.06188965,-0.12158203,-0.15979004,-0.13330078,-0.20581055,-0.28564453,-0.116882324,0.14428711,0.07598877,-0.16784668,-0.002275467,-0.18225098,-0.10626221,0.042114258,-0.057678223,-0.06100464,0.24865723,-0.029891968,-0.018173218,-0.029525757,-0.04257202,0.21411133,-0.00067710876,-0.114990234,0.19335938,-0.16027832,-0.117614746,0.22058105,0.13989258,0.1694336,-0.113464355,-0.030014038]'),
	('01a22dbd-058e-7427-844b-748bb2f3f6b4', 'default', 1, 'words/64', true, '[0.16259766,0.003850937,0.1875,0.16625977,0.009094238,0.07678223,0.093811035,-0.1541748,-0.10821533,-0.013153076,-0.07574463,0.015449524,-0.2467041,-0.116882324,0.35766602,0.00982666,-0.12475586,-0.09088135,-0.010253906,-0.25561523,0.0859375,0.107177734,-0.015274048,-0.114746094,-0.12414551,-0.124938965,0.24304199,0.029312134,0.19665527,-0.16149902,0.05758667,-0.033477783,-0.027130127,-0.029373169,0.1665039,0.125,0.12695312,-0.2019043,-0.16992188,0.022384644,-0.09613037,-0.23730469,-0.014831543,0.02684021,0.19836426,0.17321777,0.006626129,0.044769287,-0.17138672,-0.009689331,-0.032104492,0.090148926,-0.07635498,0.07531738,0.062286377,-0.03564453,-0.060394287,-0.16711426,0.020050049,0.016464233,-0.016555786,-0.10223389,0.03665161,0.037078857]'),
	('01a22dbd-060e-74e5-95fa-51bfc2ab647e', 'default', 1, 'words/64', true, '[0.10028076,-0.033111572,0.15075684,-0.05227661,-0.04333496,0.084228516,0.15393066,0.24108887,-0.0078048706,0.09118652,-0.1809082,-0.23046875,-0.24816895,0.046081543,0.18139648,0.18530273,-0.02558899,-0.18334961,-0.049835205,-0.10998535,-0.1607666,-0.04486084,0.10101318,-0.11193848,-0.16967773,-0.07696533,0.0024261475,0.16577148,0.038970947,-0.13024902,0.054870605,-0.070129395,-0.010116577,-0.0028896332,-0.036468506,-0.13513184,0.019699097,-0.11151123,0.0059661865,-0.07885742,0.2614746,-0.15893555,0.08947754,0.22668457,0.02268982,0.028259277,-0.08312988,0.15539551,-0.0020980835,0.052246094,-0.15600586,-0.024246216,-0.1315918,0.10070801,-0.04055786,0.016189575,-0.1459961,-0.03729248,-0.018692017,-0.20361328,-0.17089844,-0.048431396,-0.079711914,0.27539062]'),
	('01a22dbd-060e-74e7-b44a-6ff789e7932a', 'default', 1, 'words/64', true, '[0.018325806,-0.123046875,0.0113220215,0.019180298,0.05517578,-0.05795288,-0.11627197,-0.032348633,0.089904785,-0.065979004,-0.30737305,-0.11193848,-0.29711914,0.03164673,0.18518066,0.19067383,-0.0552063,-0.116760254,0.13598633,-0.026031494,-0.038330078,0.048217773,0.2154541,-0.2626953,0.023422241,-0.12963867,-0.08538818,-0.078430176,-0.16601562,-0.015563965,-0.04864502,0.19689941,0.007259369,-0.11621094,-0.11260986,-0.17700195,0.031036377,-0.21166992,0.105895996,-0.14440918,0.2211914,0.105773926,0.08251953,0.2836914,0.10644531,0.019439697,0.07513428,-0.0008211136,-0.030227661,-0.046051025,-0.0032100677,0.041381836,-0.096191406,-0.0046463013,0.13427734,-0.13830566,-0.03945923,-0.15771484,-0.053009033,-0.03488159,-0.08618164,-0.084350586,-0.0362854,0.17651367]'),
	('01a22dbd-058e-7426-849f-6f43c6576311', 'default', 1, 'words/64', false, '[0.04257202,-0.19897461,0.0181427,-0.07574463,0.24914551,-0.1295166,0.08660889,0.06463623,0.0949707,0.011764526,-0.12561035,-0.14123535,-0.18664551,0.0076828003,0.19006348,0.14099121,0.030441284,-0.036743164,0.16333008,-0.2043457,-0.016784668,-0.042663574,0.15844727,-0.12072754,-0.053985596,0.034576416,-0.054534912,0.013694763,-0.26342773,-0.10961914,0.120788574,0.13000488,0.008026123,-0.039367676,0.09234619,-0.26513672,0.123291016,-0.13195801,0.13549805,0.06274414,0.25341797,0.010467529,0.21899414,0.23352051,0.09033203,0.09118652,-0.023269653,0.15319824,-0.009559631,0.0619812,0.16186523,0.060058594,-0.016418457,-0.09564209,0.115356445,-0.17041016,-0.08337402,0.03164673,-0.048065186,-0.14440918,-0.101989746,0.14831543,-0.038391113,0.018218994]');
INSERT INTO memory_embedding_p9 (memory_id, tenant_id, scope_id, model, live, embedding) VALUES
	('01a22dbd-063b-796e-8c9f-55493cc8a067', 'default', 3, 'words/64', true, '[0.034179688,-0.20288086,-0.030883789,-0.013771057,0.016525269,-0.04949951,0.15625,0.12011719,0.052337646,0.086242676,-0.0067100525,-0.24255371,-0.105773926,-0.01927185,0.28979492,-0.02633667,0.015197754,0.1665039,-0.010040283,-0.1529541,-0.16516113,0.032836914,0.13867188,-0.27807617,0.025924683,-0.15820312,0.24194336,0.19177246,-0.05618286,0.0234375,-0.17529297,-0.064208984,0.010887146,0.06744385,-0.07397461,-0.22058105,-0.15368652,0.057006836,-0.074645996,-0.00039362907,0.07299805,-0.0021953583,0.06915283,0.24304199,0.110839844,-0.0010881424,-0.034362793,0.17907715,0.023147583,-0.18591309,0.03213501,-0.0546875,-0.12927246,-0.00020051003,0.16809082,0.1005249,-0.000112473965,0.1295166,-0.14489746,-0.026641846,-0.056121826,-0.04534912,-0.15563965,0.21350098]'),
	('01a22dbd-063b-797f-a0f1-10cbf0a3d0ec', 'default', 3, 'words/64', true, '[-0.062805176,0.050079346,-0.014160156,-0.092285156,0.22229004,-0.064575195,0.30737305,-0.12072754,0.06222534,0.08087158,-0.066833496,0.1899414,-0.0022468567,0.0725708,-0.028213501,-0.017730713,-0.07147217,0.0970459,-0.10107422,0.05871582,0.08026123,-0.1940918,0.098083496,-0.09234619,-0.10205078,-0.17956543,0.11090088,-0.03173828,0.17797852,0.020263672,0.24267578,0.0947876,-0.15686035,-0.15649414,-0.0049591064,0.103149414,-0.062805176,-0.053466797,-0.105163574,-0.10266113,-0.03881836,-0.11645508,-0.06958008,-0.065979004,-0.123291016,0.28100586,0.13061523,-0.14990234,-0.02418518,-0.16516113,-0.11193848,-0.12237549,-0.22241211,0.21472168,0.03881836,0.03829956,-0.15039062,-0.25146484,0.046417236,0.051116943,-0.051330566,0.13537598,-0.044555664,-0.06982422]'),
	('01a22dbd-06b5-75c0-9a0a-72708aabc15e', 'default', 3, 'words/64', true, '[0.10772705,0.18054199,-0.1862793,-0.19335938,0.15197754,0.16015625,0.0032081604,0.0071487427,0.041259766,-0.08642578,-0.06854248,0.12976074,0.22009277,0.11004639,0.04156494,-0.08544922,0.07006836,0.15405273,0.002216339,0.17736816,-0.083984375,-0.22851562,0.04812622,-0.11022949,-0.056121826,0.21191406,-0.0011310577,0.087890625,-0.2841797,0.23449707,0.06890869,-0.044189453,-0.08642578,-0.16088867,-0.045410156,0.07196045,-0.093444824,0.07702637,0.0284729,-0.056243896,-0.013694763,0.007827759,0.0473938,0.049591064,0.10858154,0.019226074,-0.061431885,-0.0519104,-0.18725586,-0.0769043,0.09527588,0.08392334,0.12927246,0.013824463,-0.09088135,-0.122802734,-0.14782715,-0.08538818,0.14489746,0.17993164,-0.27197266,0.014343262,0.089538574,0.24023438]');
INSERT INTO memory_history (id, tenant_id, memory_id, scope_id, event, previous_memory, memory, hash, reason, by, message_ids, at, before) OVERRIDING SYSTEM VALUE VALUES
	(1, 'default', '01a22dbd-058e-7420-a469-828bc7d45cdf', 1, 'ADD', NULL, 'My favorite color is teal', 'e8b329d0a012126ef908f792e344c24bbe83dbcfca43e54853d1536f820bc3ef', 'said', 'rules/3', '{1}', '2026-11-30 18:34:52.201215+00', NULL),
	(2, 'default', '01a22dbd-058e-7424-93e1-7e3ed09b2a30', 1, 'ADD', NULL, 'Teal is a calm color', '45bbfa5fc8a9ea52b252cecd0bb62f4cd09beadd9f2d80d6feaed3141c86bdaa', 'said', 'rules/3', '{2}', '2026-11-30 18:34:52.201501+00', NULL),
	(3, 'default', '01a22dbd-058e-7426-849f-6f43c6576311', 1, 'ADD', NULL, 'I live in Oslo', '60c1fb8ce3b9e583e3eb26e9cdf89ce5d9eec8c2bb37ae4511bf9cb3802bf4ea', 'said', 'rules/3', '{3}', '2026-11-30 18:34:52.201509+00', NULL),
	(4, 'default', '01a22dbd-058e-7427-844b-748bb2f3f6b4', 1, 'ADD', NULL, 'I have a dog named Rex', '3ba31225ff469cdfcf74f4c9c56906075e49b871981a638259462cc2b12b35c8', 'said', 'rules/3', '{4}', '2026-11-30 18:34:52.201513+00', NULL),
	(5, 'default', '01a22dbd-058e-7420-a469-828bc7d45cdf', 1, 'NONE', NULL, 'My favorite color is teal', 'e8b329d0a012126ef908f792e344c24bbe83dbcfca43e54853d1536f820bc3ef', 'said again', 'rules/3', '{6}', '2026-11-30 18:34:52.326336+00', NULL),
	(6, 'default', '01a22dbd-058e-7426-849f-6f43c6576311', 1, 'UPDATE', 'I live in Oslo', 'I live in Oslo', '60c1fb8ce3b9e583e3eb26e9cdf89ce5d9eec8c2bb37ae4511bf9cb3802bf4ea', 'superseded', 'rules/3', '{5}', '2026-11-30 18:34:52.326363+00', '{"superseded": true}'),
	(7, 'default', '01a22dbd-060e-74e5-95fa-51bfc2ab647e', 1, 'ADD', NULL, 'I moved to Bergen', 'e1d752e6d6126530b8d178f1cb5d3bf4904c29e7924692ca526747095632f613', 'said', 'rules/3', '{5}', '2026-11-30 18:34:52.326367+00', NULL),
	(8, 'default', '01a22dbd-060e-74e7-b44a-6ff789e7932a', 1, 'ADD', NULL, 'I live in Bergen now', 'e89564f933eefe147aa8d99d8286da8cf1189f6f68b9fe9e198729197189c252', 'said', 'rules/3', '{5}', '2026-11-30 18:34:52.32637+00', NULL),
	(9, 'acme', '01a22dbd-0646-7d23-aea5-2c4a208d3c47', 4, 'ADD', NULL, 'I play the cello', '67e9290865c1d46c6c574bb1c89f491d5aad7f2749c65d38575f3d8d00f0508a', 'said', 'rules/3', '{9}', '2026-11-30 18:34:52.36961+00', NULL),
	(10, 'default', '01a22dbd-063b-796e-8c9f-55493cc8a067', 3, 'ADD', NULL, 'I am allergic to peanuts', '804bcc46e8b62089f0b556cad89798074f4aac370e4f573f84a2952c26fcef60', 'said', 'rules/3', '{7}', '2026-11-30 18:34:52.386023+00', NULL),
	(11, 'default', '01a22dbd-063b-797f-a0f1-10cbf0a3d0ec', 3, 'ADD', NULL, 'I work as a carpenter', '915c5459264d38539ff1e2f044f793d426480989b5f86678c36f9411e709e50f', 'said', 'rules/3', '{8}', '2026-11-30 18:34:52.386173+00', NULL),
	(12, 'default', '01a22dbd-06b5-75c0-9a0a-72708aabc15e', 3, 'ADD', NULL, 'The spare key hangs behind the clock', '85d8b27216732a6546f605d7ec32214fe80d400d651ba0a6eab3ddd3d9f63839', 'stored as given', 'api', '{}', '2026-11-30 18:34:52.514153+00', NULL);
INSERT INTO memory_mention (memory_id, message_id, part, tenant_id, scope_id, actor_id, role, sources, said_at, session_id, "position", memory, hash, slot, subject, value, negated, occurred_at, categories, extractor, gone) VALUES
	('01a22dbd-058e-7420-a469-828bc7d45cdf', 1, 0, 'default', 1, NULL, 'user', '{1}', '2026-11-30 18:34:52.079967+00', 'first', 0, 'My favorite color is teal', 'e8b329d0a012126ef908f792e344c24bbe83dbcfca43e54853d1536f820bc3ef', 'favorite:color', '', 'teal', false, NULL, '{preference}', 'rules/3', NULL),
	('01a22dbd-058e-7424-93e1-7e3ed09b2a30', 2, 0, 'default', 1, NULL, 'assistant', '{2}', '2026-11-30 18:34:52.079967+00', 'first', 1, 'Teal is a calm color', '45bbfa5fc8a9ea52b252cecd0bb62f4cd09beadd9f2d80d6feaed3141c86bdaa', NULL, '', '', false, NULL, '{}', 'rules/3', NULL),
	('01a22dbd-058e-7426-849f-6f43c6576311', 3, 0, 'default', 1, NULL, 'user', '{3}', '2026-11-30 18:34:52.079967+00', 'first', 2, 'I live in Oslo', '60c1fb8ce3b9e583e3eb26e9cdf89ce5d9eec8c2bb37ae4511bf9cb3802bf4ea', 'home', '', 'Oslo', false, NULL, '{home}', 'rules/3', NULL),
	('01a22dbd-058e-7427-844b-748bb2f3f6b4', 4, 0, 'default', 1, NULL, 'user', '{4}', '2026-11-30 18:34:52.079967+00', 'first', 3, 'I have a dog named Rex', '3ba31225ff469cdfcf74f4c9c56906075e49b871981a638259462cc2b12b35c8', 'pet:rex', '', '', false, NULL, '{pets}', 'rules/3', NULL),
	('01a22dbd-058e-7420-a469-828bc7d45cdf', 6, 0, 'default', 1, NULL, 'user', '{6}', '2026-11-30 18:34:52.280077+00', 'second', 1, 'My favorite color is teal', 'e8b329d0a012126ef908f792e344c24bbe83dbcfca43e54853d1536f820bc3ef', 'favorite:color', '', 'teal', false, NULL, '{preference}', 'rules/3', NULL),
	('01a22dbd-060e-74e5-95fa-51bfc2ab647e', 5, 0, 'default', 1, NULL, 'user', '{5}', '2026-11-30 18:34:52.280077+00', 'second', 0, 'I moved to Bergen', 'e1d752e6d6126530b8d178f1cb5d3bf4904c29e7924692ca526747095632f613', 'home', '', 'Bergen', false, NULL, '{home}', 'rules/3', NULL),
	('01a22dbd-060e-74e7-b44a-6ff789e7932a', 5, 1, 'default', 1, NULL, 'user', '{5}', '2026-11-30 18:34:52.280077+00', 'second', 0, 'I live in Bergen now', 'e89564f933eefe147aa8d99d8286da8cf1189f6f68b9fe9e198729197189c252', 'home', '', 'Bergen', false, NULL, '{home}', 'rules/3', NULL),
	('01a22dbd-063b-796e-8c9f-55493cc8a067', 7, 0, 'default', 3, NULL, 'user', '{7}', '2026-11-30 18:34:52.284037+00', 'first', 0, 'I am allergic to peanuts', '804bcc46e8b62089f0b556cad89798074f4aac370e4f573f84a2952c26fcef60', 'allergy:peanuts', '', '', false, NULL, '{health}', 'rules/3', NULL),
	('01a22dbd-063b-797f-a0f1-10cbf0a3d0ec', 8, 0, 'default', 3, NULL, 'user', '{8}', '2026-11-30 18:34:52.284037+00', 'first', 1, 'I work as a carpenter', '915c5459264d38539ff1e2f044f793d426480989b5f86678c36f9411e709e50f', 'role', '', 'carpenter', false, NULL, '{work}', 'rules/3', NULL),
	('01a22dbd-0646-7d23-aea5-2c4a208d3c47', 9, 0, 'acme', 4, NULL, 'user', '{9}', '2026-11-30 18:34:52.290213+00', 'first', 0, 'I play the cello', '67e9290865c1d46c6c574bb1c89f491d5aad7f2749c65d38575f3d8d00f0508a', 'habit:play cello', '', '', false, NULL, '{habit}', 'rules/3', NULL);
INSERT INTO memory_posting (scope_id, term, memory_id, tf, length, tenant_id) VALUES
	(1, -1925595674, '01a22dbd-058e-7427-844b-748bb2f3f6b4', 1, 3, 'default'),
	(1, -1543668065, '01a22dbd-058e-7420-a469-828bc7d45cdf', 1, 3, 'default'),
	(1, -1543668065, '01a22dbd-058e-7424-93e1-7e3ed09b2a30', 1, 3, 'default'),
	(1, -1292795114, '01a22dbd-058e-7424-93e1-7e3ed09b2a30', 1, 3, 'default'),
	(1, -429343479, '01a22dbd-058e-7427-844b-748bb2f3f6b4', 1, 3, 'default'),
	(1, 133175215, '01a22dbd-058e-7426-849f-6f43c6576311', 1, 2, 'default'),
	(1, 298977146, '01a22dbd-058e-7420-a469-828bc7d45cdf', 1, 3, 'default'),
	(1, 888434168, '01a22dbd-058e-7427-844b-748bb2f3f6b4', 1, 3, 'default'),
	(1, 1031692888, '01a22dbd-058e-7420-a469-828bc7d45cdf', 1, 3, 'default'),
	(1, 1031692888, '01a22dbd-058e-7424-93e1-7e3ed09b2a30', 1, 3, 'default'),
	(1, 1175763530, '01a22dbd-058e-7426-849f-6f43c6576311', 1, 2, 'default'),
	(1, -1949531916, '01a22dbd-060e-74e5-95fa-51bfc2ab647e', 1, 2, 'default'),
	(1, -1949531916, '01a22dbd-060e-74e7-b44a-6ff789e7932a', 1, 3, 'default'),
	(1, 133175215, '01a22dbd-060e-74e7-b44a-6ff789e7932a', 1, 3, 'default'),
	(1, 407568404, '01a22dbd-060e-74e5-95fa-51bfc2ab647e', 1, 2, 'default'),
	(1, 682728183, '01a22dbd-060e-74e7-b44a-6ff789e7932a', 1, 3, 'default'),
	(4, -1026828189, '01a22dbd-0646-7d23-aea5-2c4a208d3c47', 1, 2, 'acme'),
	(4, -313857234, '01a22dbd-0646-7d23-aea5-2c4a208d3c47', 1, 2, 'acme'),
	(3, -1898090352, '01a22dbd-063b-796e-8c9f-55493cc8a067', 1, 2, 'default'),
	(3, -1642592896, '01a22dbd-063b-797f-a0f1-10cbf0a3d0ec', 1, 2, 'default'),
	(3, 341496092, '01a22dbd-063b-796e-8c9f-55493cc8a067', 1, 2, 'default'),
	(3, 1536741984, '01a22dbd-063b-797f-a0f1-10cbf0a3d0ec', 1, 2, 'default'),
	(3, -944098343, '01a22dbd-06b5-75c0-9a0a-72708aabc15e', 1, 5, 'default'),
	(3, -588412407, '01a22dbd-06b5-75c0-9a0a-72708aabc15e', 1, 5, 'default'),
	(3, 363073373, '01a22dbd-06b5-75c0-9a0a-72708aabc15e', 1, 5, 'default'),
	(3, 825166688, '01a22dbd-06b5-75c0-9a0a-72708aabc15e', 1, 5, 'default'),
	(3, 1746258028, '01a22dbd-06b5-75c0-9a0a-72708aabc15e', 1, 5, 'default');
INSERT INTO memory_provenance (tenant_id, kind, value, memory_id) VALUES
	('default', 'run', 'first', '01a22dbd-058e-7424-93e1-7e3ed09b2a30'),
	('default', 'run', 'first', '01a22dbd-058e-7426-849f-6f43c6576311'),
	('default', 'run', 'first', '01a22dbd-058e-7427-844b-748bb2f3f6b4'),
	('default', 'run', 'first', '01a22dbd-058e-7420-a469-828bc7d45cdf'),
	('default', 'run', 'second', '01a22dbd-058e-7420-a469-828bc7d45cdf'),
	('default', 'run', 'second', '01a22dbd-060e-74e5-95fa-51bfc2ab647e'),
	('default', 'run', 'second', '01a22dbd-060e-74e7-b44a-6ff789e7932a'),
	('default', 'run', 'first', '01a22dbd-063b-796e-8c9f-55493cc8a067'),
	('default', 'run', 'first', '01a22dbd-063b-797f-a0f1-10cbf0a3d0ec'),
	('acme', 'run', 'first', '01a22dbd-0646-7d23-aea5-2c4a208d3c47');
INSERT INTO memory_source (memory_id, message_id, tenant_id, session_no, "position") VALUES
	('01a22dbd-058e-7420-a469-828bc7d45cdf', 1, 'default', 1, 0),
	('01a22dbd-058e-7424-93e1-7e3ed09b2a30', 2, 'default', 1, 1),
	('01a22dbd-058e-7426-849f-6f43c6576311', 3, 'default', 1, 2),
	('01a22dbd-058e-7427-844b-748bb2f3f6b4', 4, 'default', 1, 3),
	('01a22dbd-058e-7420-a469-828bc7d45cdf', 6, 'default', 2, 1),
	('01a22dbd-060e-74e5-95fa-51bfc2ab647e', 5, 'default', 2, 0),
	('01a22dbd-060e-74e7-b44a-6ff789e7932a', 5, 'default', 2, 0),
	('01a22dbd-063b-796e-8c9f-55493cc8a067', 7, 'default', 3, 0),
	('01a22dbd-063b-797f-a0f1-10cbf0a3d0ec', 8, 'default', 3, 1),
	('01a22dbd-0646-7d23-aea5-2c4a208d3c47', 9, 'acme', 4, 0);
INSERT INTO message_posting (scope_id, term, session_no, "position", tf, length, tenant_id) VALUES
	(1, -1925595674, 1, 3, 1, 3, 'default'),
	(1, -1543668065, 1, 0, 1, 3, 'default'),
	(1, -1543668065, 1, 1, 1, 3, 'default'),
	(1, -1292795114, 1, 1, 1, 3, 'default'),
	(1, -429343479, 1, 3, 1, 3, 'default'),
	(1, 0, 1, 0, 1, 3, 'default'),
	(1, 0, 1, 1, 1, 3, 'default'),
	(1, 0, 1, 3, 1, 3, 'default'),
	(1, 0, 1, 2, 1, 2, 'default'),
	(1, 133175215, 1, 2, 1, 2, 'default'),
	(1, 298977146, 1, 0, 1, 3, 'default'),
	(1, 888434168, 1, 3, 1, 3, 'default'),
	(1, 1031692888, 1, 1, 1, 3, 'default'),
	(1, 1031692888, 1, 0, 1, 3, 'default'),
	(1, 1175763530, 1, 2, 1, 2, 'default'),
	(1, -1949531916, 2, 0, 2, 5, 'default'),
	(1, -1543668065, 2, 1, 1, 3, 'default'),
	(1, 0, 2, 0, 1, 5, 'default'),
	(1, 0, 2, 1, 1, 3, 'default'),
	(1, 133175215, 2, 0, 1, 5, 'default'),
	(1, 298977146, 2, 1, 1, 3, 'default'),
	(1, 407568404, 2, 0, 1, 5, 'default'),
	(1, 682728183, 2, 0, 1, 5, 'default'),
	(1, 1031692888, 2, 1, 1, 3, 'default'),
	(4, -1026828189, 4, 0, 1, 2, 'acme'),
	(4, -313857234, 4, 0, 1, 2, 'acme'),
	(4, 0, 4, 0, 1, 2, 'acme'),
	(3, -1898090352, 3, 0, 1, 2, 'default'),
	(3, -1642592896, 3, 1, 1, 2, 'default'),
	(3, 0, 3, 0, 1, 2, 'default'),
	(3, 0, 3, 1, 1, 2, 'default'),
	(3, 341496092, 3, 0, 1, 2, 'default'),
	(3, 1536741984, 3, 1, 1, 2, 'default');
INSERT INTO person (no, tenant_id, user_id, created_at, learn) OVERRIDING SYSTEM VALUE VALUES
	(1, 'default', 'alice', '2026-11-30 18:34:52.079967+00', true),
	(4, 'default', 'bob', '2026-11-30 18:34:52.284037+00', true),
	(5, 'acme', 'alice', '2026-11-30 18:34:52.290213+00', true),
	(9, 'default', 'carol', '2026-11-30 18:34:53.724279+00', true),
	(10, 'acme', 'dave', '2026-11-30 18:34:53.729063+00', true);
SELECT pg_catalog.setval('conversation_context_id_seq', 15, true);
SELECT pg_catalog.setval('conversation_session_no_seq', 7, true);
SELECT pg_catalog.setval('memory_history_id_seq', 12, true);
SELECT pg_catalog.setval('memory_scope_id_seq', 5, true);
SELECT pg_catalog.setval('person_no_seq', 10, true);
