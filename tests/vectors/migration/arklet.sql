--
-- PostgreSQL database dump
--

SET standard_conforming_strings = on;

CREATE TABLE public.ark_apikey (
    id bigint NOT NULL,
    key character varying(64) NOT NULL
);

CREATE TABLE public.ark_ark (
    ark character varying(200) NOT NULL,
    shoulder character varying(50) NOT NULL,
    assigned_name character varying(100) NOT NULL,
    url character varying(200) DEFAULT ''::character varying NOT NULL,
    metadata text DEFAULT ''::text NOT NULL,
    commitment text DEFAULT ''::text NOT NULL,
    naan_id bigint NOT NULL,
    created_at timestamp with time zone,
    updated_at timestamp with time zone
);

COPY public.ark_apikey (id, key) FROM stdin;
1	0123456789abcdef-secret
\.

COPY public.ark_ark (ark, shoulder, assigned_name, url, metadata, commitment, naan_id, created_at, updated_at) FROM stdin;
12345/x5t38sk8zs	/x5	t38sk8zs	https://archive.example.org/items/1	{"title": "Harbour\\nview"}	Kept for ever	12345	2023-02-01 10:00:00.5+00	2024-03-01 12:30:00+02
12345/x5bc5r4m8k	/x5	bc5r4m8k				12345	\N	\N
12345/x5broken	/x5
\.

COPY public.ark_shoulder (id, shoulder, name, description, naan_id) FROM stdin;
1	/x5	Photographs		12345
\.
